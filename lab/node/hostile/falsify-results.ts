import type { Random } from '@dexfeed/devnet'
import { HOUR_S } from '@dexfeed/dex'
import { quantity } from '../../chain/abi.ts'
import { EMPTY_BLOOM } from '../../chain/scripted/commit-block.ts'
import { answer, NodeError } from '../rpc/answer.ts'
import { falsifyBlockReceipts, falsifyReceipt, partOf } from './falsify-receipts.ts'
import { type Fault, NOT_YET_ERRORS, RANGE_ERRORS } from './faults.ts'
import { isLiquidity, withoutLast } from './omitted-logs.ts'
import { type ScriptedView, scriptedView } from './scripted-view.ts'
import { logsOfBlock, type RpcLog, type ShownBlock } from './show-block.ts'

/** Blocks that a lagging backend lacks, and the distance from the head within which logs are falsified. */
const LAG = 20
const NEAR_HEAD = 12
/** The distance from the real head to a head that is made up. */
export const AHEAD = 5_000

/** Returns the view that a fault leaves to a backend; most leave it as it is. */
export function distortView(view: ScriptedView, fault: Fault | null): ScriptedView {
  const { chain, blocks } = view
  if (fault === 'lagging') {
    return scriptedView({ ...view, blocks: blocks.slice(0, Math.max(1, blocks.length - LAG)) })
  }
  if (fault === 'other-fork' && chain.orphaned.length > 0) {
    return scriptedView({ ...view, blocks: chain.orphaned })
  }
  return view
}

interface Request {
  method: string
  params: readonly unknown[]
}

/** Returns the result of one request under a fault. @throws NodeError for an error reply */
export function resultUnder(fault: Fault | null, view: ScriptedView, request: Request, random: Random): unknown {
  const { method, params } = request
  const honest = () => answer(view, method, params)
  if (method === 'eth_getLogs') return falsifyLogs(view, request, fault, random, honest)
  if (method === 'eth_getBlockByNumber') return falsifyBlock(view, params, fault, honest)
  if (method === 'eth_call' && fault === 'calls-denied') return denyCall(view, params, random, honest)
  if (method === 'eth_getTransactionReceipt') return falsifyReceipt(view, fault, honest)
  if (method === 'eth_getBlockReceipts') return falsifyBlockReceipts(view, params[0], { fault, random }, honest)
  return honest()
}

function falsifyLogs(
  view: ScriptedView,
  { params }: Request,
  fault: Fault | null,
  random: Random,
  honest: () => unknown,
): unknown {
  const filter = params[0] as { fromBlock?: string; toBlock?: string; blockHash?: string }
  const isOneBlock = filter.blockHash !== undefined || filter.fromBlock === filter.toBlock
  if (fault === 'range-error' && !isOneBlock) throw errorOf(random.pick(RANGE_ERRORS))
  if (fault === 'not-yet-error') throw errorOf(random.pick(NOT_YET_ERRORS))
  if (fault === 'limit-error') throw new NodeError(-32005, 'limit exceeded')
  const logs = honest() as RpcLog[]
  const first = logs[0]
  if (first === undefined) return logs
  const isNearHead = filter.blockHash !== undefined || Number(filter.toBlock) > view.blocks.length - NEAR_HEAD
  switch (fault) {
    case 'logs-empty':
      return []
    case 'logs-of-a-block-missing': {
      const { blockNumber } = random.pick(logs)
      return logs.filter((log) => log.blockNumber !== blockNumber)
    }
    case 'logs-left-out':
      return logs.filter(({ blockNumber, logIndex }) => (Number(blockNumber) + Number(logIndex)) % 3 !== 0)
    case 'liquidity-left-out':
      return logs.filter((log) => !isLiquidity(log))
    case 'one-log-missing':
      return isNearHead ? withoutLast(logs) : logs
    case 'logs-of-an-orphan':
      return logs.map((log, i) => (i === 0 ? { ...log, blockHash: `0x${'ab'.repeat(32)}` } : log))
    case 'logs-out-of-range': {
      const other = view.blocks[Number(first.blockNumber) - 1 - random.integer(3)]
      return [...(other === undefined ? [] : logsOfBlock(other).slice(0, 1)), ...logs]
    }
    case 'logs-removed':
      return logs.map((log, i) => (i === logs.length - 1 ? { ...log, removed: true } : log))
    case 'logs-twice':
      return [...logs, ...logs]
    case 'hex-oddities':
      return logs.map(({ removed: _, ...log }) => oddities(log))
    default:
      return logs
  }
}

/**
 * Selectors by which pools identify themselves (factory, token0, token1, fee, tickSpacing), and decimals() of tokens.
 */
const IDENTITY: ReadonlySet<string> = new Set([
  ...['0xc45a0155', '0x0dfe1681', '0xd21220a7', '0xddca3f43', '0xd0c93a7c'],
  '0x313ce567',
])

/** Pools and factories deny each other, tokens deny their decimals. */
function denyCall({ chain }: ScriptedView, [call]: readonly unknown[], random: Random, honest: () => unknown): unknown {
  const { to, data } = call as { to: string; data: string }
  const isIdentity = IDENTITY.has(data.slice(0, 10)) || chain.market.pools.some(({ factory }) => factory === to)
  if (!isIdentity) return honest()
  return random.next() < 0.5 ? '0x' : `0x${'0'.repeat(64)}`
}

/** Returns the same values in a form that no standard uses. */
function oddities(log: Record<string, unknown>): Record<string, unknown> {
  const upper = (text: unknown) => `0x${String(text).slice(2).toUpperCase()}`
  return {
    ...log,
    address: upper(log.address),
    data: upper(log.data),
    blockNumber: `0x000${String(log.blockNumber).slice(2)}`,
    topics: (log.topics as string[]).map(upper),
    blockHash: upper(log.blockHash),
  }
}

function falsifyBlock(
  view: ScriptedView,
  [tag, full]: readonly unknown[],
  fault: Fault | null,
  honest: () => unknown,
): unknown {
  const head = view.blocks.length - 1
  if (tag === 'finalized') {
    if (fault === 'finalized-null') return null
    if (fault === 'finalized-unknown') throw new NodeError(-32602, 'invalid argument 0: hex string without 0x prefix')
    if (fault === 'finalized-above') {
      const block = answer(view, 'eth_getBlockByNumber', ['latest', false]) as object
      return { ...block, number: quantity(head + 3) }
    }
    return honest()
  }
  if (tag === 'latest') {
    if (fault === 'head-ahead') return { ...(honest() as object), number: quantity(head + AHEAD) }
    if (fault !== 'head-back') return honest()
    return answer(view, 'eth_getBlockByNumber', [quantity(Math.max(0, head - 5)), false])
  }
  if (fault === 'blocks-null' && Number(tag) > head - NEAR_HEAD) return null
  const block = honest() as ShownBlock | null
  if (block === null) return null
  if (fault === 'bloom-zero') return { ...block, logsBloom: EMPTY_BLOOM }
  return full === true ? falsifyBody(block, fault) : block
}

/** Returns a false whole block under the true hash. */
function falsifyBody(block: ShownBlock, fault: Fault | null): ShownBlock {
  const { transactions } = block
  switch (fault) {
    case 'header-changed':
      return { ...block, timestamp: quantity(Number(block.timestamp) + HOUR_S) }
    case 'body-cut':
      return { ...block, transactions: transactions.slice(0, -1) }
    case 'body-longer': {
      const made = { hash: `0x${'88'.repeat(32)}`, transactionIndex: quantity(transactions.length) }
      return { ...block, transactions: [...transactions, { ...(transactions.at(-1) ?? {}), ...made }] }
    }
    case 'block-in-part':
      return { ...block, transactions: transactions.slice(0, partOf(transactions.length)) }
    default:
      return block
  }
}

function errorOf([code, message]: readonly [number, string]): NodeError {
  return new NodeError(code, message)
}
