import type { Random } from '@dexfeed/devnet'
import type { Hex } from '@dexfeed/dex'
import { quantity } from '../../chain/abi.ts'
import { notServed } from '../rpc/answer.ts'
import type { Fault } from './faults.ts'
import { isLiquidity, isPoolLog, withoutLast } from './omitted-logs.ts'
import type { ScriptedView } from './scripted-view.ts'
import { logsOfBlock, type RpcLog, type RpcReceipt, showReceipts } from './show-block.ts'

/** Returns a single receipt under a fault. It lacks the logs that the same node omits elsewhere. */
export function falsifyReceipt({ blocks }: ScriptedView, fault: Fault | null, honest: () => unknown): unknown {
  if (fault === 'blocks-null') return null
  const receipt = honest() as RpcReceipt | null
  const block = blocks[Number(receipt?.blockNumber)]
  if (receipt === null || block === undefined) return receipt
  if (fault === 'receipts-cut') return { ...receipt, logs: receipt.logs.slice(0, -1) }
  if (fault === 'receipts-swapped') {
    const others = logsOfBlock(block).filter(({ transactionHash }) => transactionHash !== receipt.transactionHash)
    return { ...receipt, logs: others.map((log) => ({ ...log, transactionHash: receipt.transactionHash })) }
  }
  if (fault !== 'one-log-missing') return receipt
  const shown = withoutLast(logsOfBlock(block).filter(isPoolLog)).map(placeOf)
  return { ...receipt, logs: receipt.logs.filter((log) => !isPoolLog(log) || shown.includes(placeOf(log))) }
}

interface LieContext {
  view: ScriptedView
  number: number
  random: Random
}

type Lie = (receipts: readonly RpcReceipt[], block: LieContext) => readonly (RpcReceipt | null)[]

/** Returns the receipts of a block under a fault. The root of the receipts does not show every lie. */
export function falsifyBlockReceipts(
  view: ScriptedView,
  tag: unknown,
  { fault, random }: { fault: Fault | null; random: Random },
  honest: () => unknown,
): unknown {
  if (fault === 'block-receipts-unsupported') throw notServed('eth_getBlockReceipts')
  if (fault === 'block-receipts-null') return null
  const receipts = honest() as RpcReceipt[] | null
  const lie = fault === null ? undefined : LIES[fault]
  if (receipts === null || receipts.length === 0 || lie === undefined) return receipts
  return lie(receipts, { view, number: Number(tag), random })
}

const LIES: Partial<Record<Fault, Lie>> = {
  'block-receipts-empty': () => [],
  'block-receipts-null-entry': (receipts, { random }) => {
    const place = random.integer(receipts.length)
    return receipts.map((receipt, i) => (i === place ? null : receipt))
  },
  'block-receipts-cut': (receipts) => receipts.slice(0, receipts.length >> 1),
  'block-in-part': (receipts) => receipts.slice(0, partOf(receipts.length)),
  'block-receipts-one-missing': (receipts, { random }) => {
    const place = random.integer(receipts.length)
    return receipts.filter((_, i) => i !== place)
  },
  'block-receipts-log-missing': changeALog(() => []),
  'block-receipts-liquidity-missing': (receipts) =>
    receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.filter((log) => !isLiquidity(log)) })),
  'block-receipts-log-changed': changeALog((log) => [{ ...log, data: flipped(log.data) }]),
  'block-receipts-log-elsewhere': changeALog((log, { view, number }) => {
    const parent = view.blocks[number - 1]
    return parent === undefined ? [log] : [{ ...log, blockHash: parent.hash, blockNumber: quantity(parent.number) }]
  }),
  'block-receipts-exchanged': ofTwo((one, other) => ({ ...one, logs: relabelled(other.logs, one) })),
  'block-receipts-renamed': ofTwo((one, { transactionHash }) => {
    return { ...one, transactionHash, logs: one.logs.map((log) => ({ ...log, transactionHash })) }
  }),
  'block-receipts-of-orphan': (receipts, { view, number }) => {
    const [orphan, own] = [view.chain.orphaned[number], view.blocks[number]]
    if (orphan === undefined || own === undefined) return receipts
    const { hash: blockHash } = own
    return showReceipts(orphan, view).map((receipt) => {
      return { ...receipt, blockHash, logs: receipt.logs.map((log) => ({ ...log, blockHash })) }
    })
  },
  'block-receipts-of-parent': (receipts, { view, number }) => {
    const parent = view.blocks[number - 1]
    const shown = parent === undefined ? [] : showReceipts(parent, view)
    // An empty list does not show its block.
    return shown.length === 0 ? receipts : shown
  },
  'block-receipts-made-up': (receipts) => {
    const made = receipts.findLast(({ logs }) => logs.length > 0)
    if (made === undefined) return receipts
    const transactionHash: Hex = `0x${'77'.repeat(32)}`
    const place = { transactionHash, transactionIndex: quantity(receipts.length) }
    return [...receipts, { ...made, ...place, logs: made.logs.map((log) => ({ ...log, ...place })) }]
  },
}

/** Returns how many transactions an incomplete block shows. */
export function partOf(transactions: number): number {
  return Math.max(1, transactions >> 1)
}

/** Changes one log, preferably a pool's. An empty list omits it. */
function changeALog(change: (log: RpcLog, block: LieContext) => RpcLog[]): Lie {
  return (receipts, block) => {
    const all = receipts.flatMap(({ logs }) => logs)
    const ofPools = all.filter(isPoolLog)
    if (all.length === 0) return receipts
    const chosen = block.random.pick(ofPools.length > 0 ? ofPools : all)
    return receipts.map((receipt) => ({
      ...receipt,
      logs: receipt.logs.flatMap((log) => (log === chosen ? change(log, block) : [log])),
    }))
  }
}

/** Changes two receipts by each other; at least one of them has logs. */
function ofTwo(change: (one: RpcReceipt, other: RpcReceipt) => RpcReceipt): Lie {
  return (receipts) => {
    const first = receipts.findIndex(({ logs }) => logs.length > 0)
    const second = receipts.findIndex((_, i) => i !== first)
    const [one, other] = [receipts[first], receipts[second]]
    if (one === undefined || other === undefined) return receipts
    return receipts.map((receipt, i) => {
      if (i === first) return change(one, other)
      return i === second ? change(other, one) : receipt
    })
  }
}

function relabelled(logs: readonly RpcLog[], { transactionHash, transactionIndex }: RpcReceipt): RpcLog[] {
  return logs.map((log) => ({ ...log, transactionHash, transactionIndex }))
}

/** Changes the last digit. */
function flipped(data: unknown): string {
  const text = String(data)
  return text.length === 2 ? '0x01' : `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`
}

function placeOf({ logIndex, transactionHash }: RpcLog): string {
  return `${String(transactionHash)} ${String(logIndex)}`
}
