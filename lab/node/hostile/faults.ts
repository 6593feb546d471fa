import type { ServerResponse } from 'node:http'
import type { Random } from '@dexfeed/devnet'
import { HOUR_S } from '@dexfeed/dex'
import { quantity, TOPICS } from '../../chain/abi.ts'
import { EMPTY_BLOOM } from '../../chain/scripted/commit-block.ts'
import { answer, type LogFilter, NodeError, notServed } from '../rpc/answer.ts'
import type { RpcMessage } from '../rpc/serve.ts'
import { type ScriptedView, scriptedView } from './scripted-view.ts'
import { logsOfBlock, type Proofs, type RpcLog, type RpcReceipt, type ShownBlock, showReceipts } from './show-block.ts'

interface Exchange {
  messages: readonly RpcMessage[]
  text: string
  response: ServerResponse
}

interface FaultyRequest {
  view: ScriptedView
  params: readonly unknown[]
  random: Random
}

/** @throws NodeError for an error reply */
type Effect = (honest: () => unknown, request: FaultyRequest) => unknown

interface FaultFacts {
  /** Rows of docs/internals/faults.md. */
  rows: string
  /** What meets the fault: a method, a block tag, or a subscription. Default: every HTTP request. */
  at?: string
  /**
   * Only one endpoint of a network lies at a time, since no client can find the truth between two liars. After a
   * `provable` lie, the client reports the endpoint and avoids it.
   */
  lie?: true | 'provable'
  results?: Readonly<Record<string, Effect>>
  view?: (view: ScriptedView) => ScriptedView
  /** Breaks the HTTP exchange. Returns false to leave it as it is. */
  exchange?: (exchange: Exchange) => unknown
}

/** Blocks that a lagging backend lacks, and the distance from the head within which blocks and logs are falsified. */
const LAG = 20
const NEAR_HEAD = 12
export const AHEAD = 5_000
/** Longer than an impatient client waits. */
const LATE_MS = 120
const SLOW_BYTE_MS = 40
/** Maximum items of a batch when a limit is active. */
const MAX_ITEMS = 3
const RATE_LIMITED = { code: 429, message: 'rate limited' }
const TOO_MANY_ITEMS = { code: -32600, message: `Too many items in request: max ${MAX_ITEMS}` }
/** Error texts of real providers, verbatim. */
const RANGE_ERRORS: readonly (readonly [number, string])[] = [
  [-32602, 'requested too many blocks from 1 to 9, maximum is set to 5'],
  [-32000, 'Maximum allowed number of requested blocks is 3500'],
  [-32000, 'eth_getLogs is limited to a 10,000 range'],
  [-32000, 'exceeds the range allowed for your plan (5000 > 3000)'],
  [-32600, 'block range is too wide'],
  [-32000, 'Block range limit exceeded.'],
  [-32005, 'query returned more than 10000 results'],
  [-32008, 'response size should not greater than 10000000 bytes'],
  [-32000, 'query exceeds max results'],
  [-32000, 'no backend is currently healthy to serve traffic'],
  [-32000, 'maximum [from, to] blocks distance: 1000'],
  [-32000, 'too many logs'],
]
const NOT_YET_ERRORS: readonly (readonly [number, string])[] = [
  [-32000, 'cannot query unfinalized data'],
  [-32000, 'invalid block height'],
  [-32000, 'after last accepted block'],
  [-32000, 'unknown block'],
  [-32000, 'header not found'],
  [-32000, 'requested epoch was a null round'],
]
/** Selectors of factory, token0, token1, fee, tickSpacing and decimals. */
const IDENTITY: ReadonlySet<string> = new Set([
  ...['0xc45a0155', '0x0dfe1681', '0xd21220a7', '0xddca3f43', '0xd0c93a7c'],
  '0x313ce567',
])
const TOKEN_EVENTS: ReadonlySet<string> = new Set([TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal])

/** What a seed does depends on the order of the faults. */
const FACTS = {
  'rate-limit': flaw('F29', exchange, ({ response }) => response.writeHead(429).end('Too Many Requests')),
  'rate-limit-retry-after': flaw('F29', exchange, ({ response }) => {
    response.writeHead(429, { 'retry-after': '3' }).end('{"error":"slow down"}')
  }),
  'rate-limit-in-json': flaw('F29', replies, (id) => ({ id, error: RATE_LIMITED })),
  'rate-limit-by-item': flaw('F29', exchange, refuseItems),
  'too-many-items': flaw('F29', exchange, refuseLongBatch),
  'html-502': flaw('F33', exchange, ({ response }) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>')
  }),
  'wrong-id': flaw('F33', replies, (id) => ({ id: Number(id) + 1_000_000, result: null })),
  'no-result': flaw('F33', replies, (id) => ({ id })),
  truncated: flaw('F33', exchange, ({ text, response }) => {
    response.setHeader('content-type', 'application/json').end(text.slice(0, text.length >> 1))
  }),
  'slow-body': flaw('F34', exchange, sendSlowly),
  disconnect: flaw('F33, F37', exchange, ({ response }) => response.destroy()),
  'no-answer': flaw('F37', exchange, () => undefined),
  late: flaw('F37', exchange, ({ text, response }) => setTimeout(() => response.end(text), LATE_MS).unref()),
  down: flaw('F37', exchange, ({ response }) => response.destroy()),
  'range-error': flaw('F31', at('eth_getLogs'), refuseRange),
  'not-yet-error': flaw('F16', errors('eth_getLogs'), NOT_YET_ERRORS),
  'limit-error': lie('F30', errors('eth_getLogs'), [[-32005, 'limit exceeded']]),
  'logs-empty': lie('F01, F02', logs, () => []),
  'logs-of-a-block-missing': lie('F01, F02', logs, withoutABlock),
  'logs-left-out': lie('F75', logs, (all) =>
    all.filter(({ blockNumber, logIndex }) => (Number(blockNumber) + Number(logIndex)) % 3 !== 0),
  ),
  'liquidity-left-out': lie('F79', logs, withoutLiquidity),
  'one-log-missing': both(lie('F03', logs, withoutLastNearHead), receipt(withoutLastOfBlock)),
  'logs-of-an-orphan': lie('F04', logs, (all) =>
    all.with(0, { ...all[0], blockHash: `0x${'ab'.repeat(32)}` } as RpcLog),
  ),
  'logs-out-of-range': lie('F05', logs, withEarlierLog),
  'logs-removed': lie('F22', logs, (all) =>
    all.map((log, i) => (i < all.length - 1 ? log : { ...log, removed: true })),
  ),
  'logs-twice': flaw('F21', logs, (all) => [...all, ...all]),
  'bloom-zero': lie('F23', block, (shown) => ({ ...shown, logsBloom: EMPTY_BLOOM })),
  'calls-denied': lie('F76', at('eth_call'), denyIdentity),
  'receipts-cut': lie('F80', receipt, (shown) => ({ ...shown, logs: shown.logs.slice(0, -1) })),
  'receipts-swapped': lie('F80', receipt, withOtherLogs),
  'hex-oddities': flaw('F39', logs, (all) => all.map(oddHex)),
  // eth_getBlockReceipts is unavailable or lies. The receipts root does not reveal every lie.
  'block-receipts-unsupported': flaw('F18', at('eth_getBlockReceipts'), refuseReceipts),
  'block-receipts-null': lie('F18', at('eth_getBlockReceipts'), () => null),
  'block-receipts-null-entry': lie('F18', receipts, withNullEntry),
  'block-receipts-empty': provable('F18', receipts, () => []),
  'block-receipts-cut': provable('F18', receipts, (all) => all.slice(0, all.length >> 1)),
  'block-receipts-one-missing': provable('F18', receipts, (all, { random }) =>
    all.toSpliced(random.integer(all.length), 1),
  ),
  'block-receipts-log-missing': provable('F03', changedLog, () => []),
  'block-receipts-liquidity-missing': lie('F79', receipts, (all) =>
    all.map((shown) => ({ ...shown, logs: withoutLiquidity(shown.logs) })),
  ),
  'block-receipts-log-changed': provable('F03', changedLog, (log) => [{ ...log, data: otherDigit(String(log.data)) }]),
  'block-receipts-log-elsewhere': provable('F04', changedLog, inParentBlock),
  'block-receipts-exchanged': provable('F18', twoReceipts, (shown, { logs: others }) => withLogs(shown, others)),
  'block-receipts-renamed': provable('F18', twoReceipts, (shown, { transactionHash }) =>
    withLogs({ ...shown, transactionHash }, shown.logs),
  ),
  'block-receipts-of-orphan': lie('F04', receipts, ofOrphan),
  'block-receipts-of-parent': lie('F18', receipts, ofParent),
  'block-receipts-made-up': lie('F18', receipts, withMadeUp),
  // Blocks that are incomplete or differ from what their hash commits to.
  'header-changed': provable('F94', body, (shown) => {
    return { ...shown, timestamp: quantity(Number(shown.timestamp) + HOUR_S) }
  }),
  'body-cut': provable('F94', body, (shown) => ({ ...shown, transactions: shown.transactions.slice(0, -1) })),
  'body-longer': provable('F94', body, withMadeUpTransaction),
  'block-in-part': both(lie('F94', receipts, firstHalf), body(halfOfBody)),
  'blocks-null': both(
    flaw('F16', at('eth_getBlockByNumber'), nullNearHead),
    at('eth_getTransactionReceipt')(() => null),
  ),
  'head-ahead': lie('F17, F38', at('latest'), (_, { view }) => {
    return { ...showHeader(view, 'latest'), number: quantity(view.head + AHEAD) }
  }),
  'head-back': lie('F13', at('latest'), (_, { view }) => showHeader(view, quantity(Math.max(0, view.head - 5)))),
  lagging: lie('F01, F16', seen, ({ blocks }) => blocks.slice(0, Math.max(1, blocks.length - LAG))),
  'other-fork': lie('F36', seen, ({ blocks, chain: { orphaned } }) => (orphaned.length > 0 ? orphaned : blocks)),
  'wrong-chain': { rows: 'F35', lie: true },
  'wrong-chain-stays': { rows: 'F78', lie: true },
  'finalized-null': flaw('F38', at('finalized'), () => null),
  'finalized-unknown': flaw('F38', errors('finalized'), [[-32602, 'invalid argument 0: hex string without 0x prefix']]),
  'finalized-above': lie('F38', at('finalized'), (_, { view }) => {
    return { ...showHeader(view, 'latest'), number: quantity(view.head + 3) }
  }),
  // WebSockets. hostile-node.ts implements these faults.
  'socket-mute': { rows: 'F19', at: 'newHeads' },
  'socket-closes': { rows: 'F20', at: 'newHeads' },
  'socket-refuses': { rows: 'F20', at: 'eth_subscribe' },
  'socket-repeats': { rows: 'F14', at: 'newHeads' },
  'socket-ahead': { rows: 'F17, F38', at: 'newHeads', lie: true },
} satisfies Record<string, FaultFacts>

export type Fault = keyof typeof FACTS

export const FAULTS: Readonly<Record<Fault, FaultFacts>> = FACTS
export const FAULT_NAMES = Object.keys(FAULTS) as Fault[]

/** All but `one-log-missing`, which the indexer notices only when it audits final blocks. */
export const NOTICED_IMMEDIATELY: readonly Fault[] = FAULT_NAMES.filter((fault) => fault !== 'one-log-missing')

const NEED_PROOF: readonly Fault[] = ['header-changed', 'body-cut', 'body-longer']
const LOSE_PROOF: readonly Fault[] = ['block-receipts-unsupported', 'block-receipts-null', 'block-in-part']
const OF_PROOFS = FAULT_NAMES.filter((fault) => FAULTS[fault].at === 'eth_getBlockReceipts')
const SOCKET_SUBJECTS = ['eth_subscribe', 'newHeads']

export function isMetBy(fault: Fault, subject: string): boolean {
  const { at } = FAULTS[fault]
  return at === undefined ? !SOCKET_SUBJECTS.includes(subject) : at === subject
}

/**
 * Returns the faults that nodes with these proofs can have. If all nodes prove every block, no fault leaves a block
 * unproven. If one node does not, no fault needs a proof to be noticed.
 */
export function faultsAt(proofs: readonly Proofs[]): readonly Fault[] {
  const proving = proofs.filter((shown) => shown === 'block-receipts').length
  const apart = proving === 0 ? OF_PROOFS : proving < proofs.length ? NEED_PROOF : LOSE_PROOF
  return NOTICED_IMMEDIATELY.filter((fault) => !apart.includes(fault))
}

export function subjectOf({ method, params: [first] = [] }: Omit<RpcMessage, 'id'>): string {
  return typeof first === 'string' && !first.startsWith('0x') ? first : method
}

/** @throws NodeError for an error reply */
export function resultUnder(
  fault: Fault | null,
  view: ScriptedView,
  { method, params = [] }: RpcMessage,
  random: Random,
): unknown {
  const honest = () => answer(view, method, params)
  const effect = fault === null ? undefined : FAULTS[fault].results?.[subjectOf({ method, params })]
  return effect === undefined ? honest() : effect(honest, { view, params, random })
}

type Effects = Omit<FaultFacts, 'rows' | 'lie'>

function flaw<C>(rows: string, kind: (change: C) => Effects, change: C): FaultFacts {
  return { rows, ...kind(change) }
}

function lie<C>(...fault: Parameters<typeof flaw<C>>): FaultFacts {
  return { ...flaw(...fault), lie: true }
}

function provable<C>(...fault: Parameters<typeof flaw<C>>): FaultFacts {
  return { ...flaw(...fault), lie: 'provable' }
}

/** Also falsifies another method. Requests of that method alone do not count as meeting the fault. */
function both(fault: FaultFacts, { results }: Effects): FaultFacts {
  return { ...fault, results: { ...fault.results, ...results } }
}

function exchange(breaks: (exchange: Exchange) => unknown): Effects {
  return { exchange: breaks }
}

function seen(blocksOf: (view: ScriptedView) => ScriptedView['blocks']): Effects {
  return { view: (view) => scriptedView({ ...view, blocks: blocksOf(view) }) }
}

function at(subject: string): (effect: Effect) => Effects {
  return (effect) => ({ at: subject, results: { [subject]: effect } })
}

function errors(subject: string) {
  return (texts: readonly (readonly [number, string])[]) =>
    at(subject)((_, { random }) => {
      throw new NodeError(...random.pick(texts))
    })
}

function endJson(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
}

function replies(replyTo: (id: unknown) => object): Effects {
  return exchange(({ messages, response }) => {
    const all = messages.map(({ id }) => ({ jsonrpc: '2.0', ...replyTo(id) }))
    endJson(response, all)
  })
}

function refuseItems({ text, response }: Exchange): void {
  const honest: unknown = JSON.parse(text)
  const refuse = ({ id }: { id: unknown }) => ({ jsonrpc: '2.0', id, error: RATE_LIMITED })
  const cut = (all: { id: unknown }[]) => all.map((reply, i) => (i < MAX_ITEMS ? reply : refuse(reply)))
  endJson(response, Array.isArray(honest) ? cut(honest) : honest)
}

function refuseLongBatch({ messages, response }: Exchange): unknown {
  return messages.length > MAX_ITEMS && endJson(response, { jsonrpc: '2.0', id: null, error: TOO_MANY_ITEMS })
}

function sendSlowly({ text, response }: Exchange): void {
  let sent = 0
  const timer = setInterval(() => {
    if (response.destroyed || sent >= text.length) clearInterval(timer)
    else response.write(text[sent++])
  }, SLOW_BYTE_MS).unref()
}

function logs(change: (logs: RpcLog[], request: FaultyRequest) => unknown): Effects {
  return at('eth_getLogs')((honest, request) => {
    const all = honest() as RpcLog[]
    return all.length === 0 ? all : change(all, request)
  })
}

function block(change: (shown: ShownBlock, isFull: boolean) => ShownBlock): Effects {
  return at('eth_getBlockByNumber')((honest, { params }) => {
    const shown = honest() as ShownBlock | null
    return shown === null ? null : change(shown, params[1] === true)
  })
}

/** Only clients that request block receipts compare blocks with their hashes. */
function body(change: (shown: ShownBlock) => ShownBlock): Effects {
  return { ...block((shown, isFull) => (isFull ? change(shown) : shown)), at: 'eth_getBlockReceipts' }
}

function receipt(change: (shown: RpcReceipt, logsOfItsBlock: RpcLog[]) => RpcReceipt): Effects {
  return at('eth_getTransactionReceipt')((honest, { view }) => {
    const shown = honest() as RpcReceipt | null
    const itsBlock = view.blocks[Number(shown?.blockNumber)]
    return shown === null || itsBlock === undefined ? shown : change(shown, logsOfBlock(itsBlock))
  })
}

type ChangeReceipts = (all: readonly RpcReceipt[], request: FaultyRequest) => readonly (RpcReceipt | null)[]

function receipts(change: ChangeReceipts): Effects {
  return at('eth_getBlockReceipts')((honest, request) => {
    const all = honest() as RpcReceipt[] | null
    return all === null || all.length === 0 ? all : change(all, request)
  })
}

/** Changes one log, preferably of a pool. If `change` returns an empty list, the log is omitted. */
function changedLog(change: (log: RpcLog, request: FaultyRequest) => RpcLog[]) {
  return receipts((shown, request) => {
    const all = shown.flatMap((ofOne) => ofOne.logs)
    const ofPools = all.filter(isPoolLog)
    if (all.length === 0) return shown
    const chosen = request.random.pick(ofPools.length > 0 ? ofPools : all)
    const changed = (log: RpcLog) => (log === chosen ? change(log, request) : [log])
    return shown.map((ofOne) => ({ ...ofOne, logs: ofOne.logs.flatMap(changed) }))
  })
}

/** Changes two receipts. `change` gets each with the other. At least one has logs. */
function twoReceipts(change: (shown: RpcReceipt, other: RpcReceipt) => RpcReceipt) {
  return receipts((shown) => {
    const first = shown.findIndex((ofOne) => ofOne.logs.length > 0)
    const second = shown.findIndex((_, i) => i !== first)
    const [a, b] = [shown[first], shown[second]]
    return a === undefined || b === undefined ? shown : shown.with(first, change(a, b)).with(second, change(b, a))
  })
}

function refuseRange(honest: () => unknown, { params, random }: FaultyRequest): unknown {
  const { blockHash, fromBlock, toBlock } = params[0] as LogFilter
  if (blockHash !== undefined || fromBlock === toBlock) return honest()
  throw new NodeError(...random.pick(RANGE_ERRORS))
}

function refuseReceipts(): never {
  throw notServed('eth_getBlockReceipts')
}

function nullNearHead(honest: () => unknown, { view, params: [number] }: FaultyRequest): unknown {
  return Number(number) > view.head - NEAR_HEAD ? null : honest()
}

function showHeader(view: ScriptedView, tag: string): object {
  return answer(view, 'eth_getBlockByNumber', [tag, false]) as object
}

function denyIdentity(honest: () => unknown, { view, params: [call], random }: FaultyRequest): unknown {
  const { to, data } = call as { to: string; data: string }
  const isIdentity = IDENTITY.has(data.slice(0, 10)) || view.chain.market.pools.some(({ factory }) => factory === to)
  if (!isIdentity) return honest()
  return random.next() < 0.5 ? '0x' : `0x${'0'.repeat(64)}`
}

function withoutABlock(all: RpcLog[], { random }: FaultyRequest): RpcLog[] {
  const { blockNumber } = random.pick(all)
  return all.filter((log) => log.blockNumber !== blockNumber)
}

function withoutLiquidity(all: readonly RpcLog[]): RpcLog[] {
  return all.filter(({ topics: [topic] }) => topic !== TOPICS.mintV3 && topic !== TOPICS.burnV3)
}

function withoutLast(all: readonly RpcLog[]): RpcLog[] {
  return all.filter(({ blockNumber }, i) => {
    return all[i - 1]?.blockNumber !== blockNumber || all[i + 1]?.blockNumber === blockNumber
  })
}

function withoutLastNearHead(all: RpcLog[], { view, params }: FaultyRequest): RpcLog[] {
  const { blockHash, toBlock } = params[0] as LogFilter
  return blockHash !== undefined || Number(toBlock) > view.blocks.length - NEAR_HEAD ? withoutLast(all) : all
}

function withoutLastOfBlock(shown: RpcReceipt, ofBlock: RpcLog[]): RpcReceipt {
  const left = new Set(withoutLast(ofBlock.filter(isPoolLog)).map(({ logIndex }) => logIndex))
  return { ...shown, logs: shown.logs.filter((log) => !isPoolLog(log) || left.has(log.logIndex)) }
}

function withEarlierLog(all: RpcLog[], { view, random }: FaultyRequest): RpcLog[] {
  const earlier = view.blocks[Number(all[0]?.blockNumber) - 1 - random.integer(3)]
  return [...(earlier === undefined ? [] : logsOfBlock(earlier).slice(0, 1)), ...all]
}

function withLogs(shown: RpcReceipt, all: readonly RpcLog[]): RpcReceipt {
  const { transactionHash, transactionIndex } = shown
  return { ...shown, logs: all.map((log) => ({ ...log, transactionHash, transactionIndex })) }
}

function withOtherLogs(shown: RpcReceipt, ofBlock: RpcLog[]): RpcReceipt {
  const { transactionHash } = shown
  const others = ofBlock.filter((log) => log.transactionHash !== transactionHash)
  return { ...shown, logs: others.map((log) => ({ ...log, transactionHash })) }
}

function inParentBlock(log: RpcLog, { view }: FaultyRequest): RpcLog[] {
  const parent = view.blocks[Number(log.blockNumber) - 1]
  return parent === undefined ? [log] : [{ ...log, blockHash: parent.hash, blockNumber: quantity(parent.number) }]
}

function ofOrphan(all: readonly RpcReceipt[], { view, params: [number] }: FaultyRequest): readonly RpcReceipt[] {
  const orphan = view.chain.orphaned[Number(number)]
  const blockHash = view.blocks[Number(number)]?.hash
  if (orphan === undefined || blockHash === undefined) return all
  return showReceipts(orphan, view).map((shown) => {
    return { ...shown, blockHash, logs: shown.logs.map((log) => ({ ...log, blockHash })) }
  })
}

function ofParent(all: readonly RpcReceipt[], { view, params: [number] }: FaultyRequest): readonly RpcReceipt[] {
  const parent = view.blocks[Number(number) - 1]
  const shown = parent === undefined ? [] : showReceipts(parent, view)
  // An empty list could belong to any block.
  return shown.length === 0 ? all : shown
}

function withNullEntry(all: readonly RpcReceipt[], { random }: FaultyRequest): (RpcReceipt | null)[] {
  const place = random.integer(all.length)
  return all.map((shown, i) => (i === place ? null : shown))
}

function withMadeUp(all: readonly RpcReceipt[]): readonly RpcReceipt[] {
  const copied = all.findLast((shown) => shown.logs.length > 0)
  if (copied === undefined) return all
  const place = { transactionHash: `0x${'77'.repeat(32)}`, transactionIndex: quantity(all.length) } as const
  return [...all, withLogs({ ...copied, ...place }, copied.logs)]
}

function withMadeUpTransaction(shown: ShownBlock): ShownBlock {
  const { transactions } = shown
  const added = { hash: `0x${'88'.repeat(32)}`, transactionIndex: quantity(transactions.length) }
  return { ...shown, transactions: [...transactions, { ...(transactions.at(-1) ?? {}), ...added }] }
}

function oddHex({ removed: _, ...log }: RpcLog): Record<string, unknown> {
  const upper = (text: unknown) => `0x${String(text).slice(2).toUpperCase()}`
  const { address, data, blockNumber, topics, blockHash } = log
  return {
    ...log,
    address: upper(address),
    data: upper(data),
    blockNumber: `0x000${blockNumber.slice(2)}`,
    topics: topics.map(upper),
    blockHash: upper(blockHash),
  }
}

function otherDigit(data: string): string {
  return data.length === 2 ? '0x01' : `${data.slice(0, -1)}${data.endsWith('0') ? '1' : '0'}`
}

function halfOfBody(shown: ShownBlock): ShownBlock {
  return { ...shown, transactions: firstHalf(shown.transactions) }
}

function firstHalf<T>(list: readonly T[]): T[] {
  return list.slice(0, Math.max(1, list.length >> 1))
}

function isPoolLog({ topics: [topic = '0x'] }: RpcLog): boolean {
  return !TOKEN_EVENTS.has(topic)
}
