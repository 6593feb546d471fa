import type { Block } from '../block.ts'
import type { Address } from '../hex.ts'
import type { Pool } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import type { Leg, Trade } from '../trade.ts'
import { type DroppedSwap, toHops } from './hops.ts'
import { collapseHops, type NetSwap } from './routes.ts'
import { type WrapperFlow, wrapperFlows } from './wrapper-flow.ts'

const NO_FLOW: WrapperFlow = { deposited: 0n, withdrawn: 0n }

export interface BlockTrades {
  /** By transaction index, then position. */
  trades: Trade[]
  dropped: DroppedSwap[]
}

/**
 * The trades of a block.
 *
 * @param events the block's pool events in log order
 * @param pools the authentic pools among their emitters
 */
export function toTrades(
  block: Block,
  events: readonly PoolEvent[],
  pools: ReadonlyMap<Address, Pool>,
  wrappedNative: Address,
): BlockTrades {
  const flows = wrapperFlows(block, wrappedNative)
  const trades: Trade[] = []
  const dropped: DroppedSwap[] = []
  for (const [transactionIndex, ofTransaction] of groupByTransaction(events)) {
    const found = toHops(ofTransaction, pools, wrappedNative)
    dropped.push(...found.dropped)
    const transaction = block.transactions.get(transactionIndex)
    if (found.hops.length === 0) continue
    if (transaction === undefined) throw new Error(`block ${block.number} lacks its transaction ${transactionIndex}`)
    const flow = flows.get(transactionIndex) ?? NO_FLOW
    collapseHops(found.hops).forEach((swap, position) => {
      trades.push({
        blockNumber: block.number,
        timestamp: block.timestamp,
        transactionIndex,
        position,
        txHash: transaction.hash,
        trader: transaction.from,
        sell: soldLeg(swap, wrappedNative, transaction.value, flow),
        buy: boughtLeg(swap, wrappedNative, flow),
        hops: swap.hops,
      })
    })
  }
  return { trades, dropped }
}

/** The coin was sold when the transaction sent some and pools and wrapper took in at least what was sold of it. */
function soldLeg({ sold, soldAmount, hops }: NetSwap, wrappedNative: Address, value: bigint, flow: WrapperFlow): Leg {
  const paid = hops.reduce((sum, { nativeIn, amountIn }) => (nativeIn ? sum + amountIn : sum), 0n)
  const native = sold === wrappedNative && value > 0n && flow.deposited + paid >= soldAmount
  return { token: sold, amount: soldAmount, native }
}

/** The coin was bought when pools and wrapper paid out at least 90 % of what was bought (a fee may stand between). */
function boughtLeg({ bought, boughtAmount, hops }: NetSwap, wrappedNative: Address, flow: WrapperFlow): Leg {
  const received = hops.reduce((sum, { nativeOut, amountOut }) => (nativeOut ? sum + amountOut : sum), 0n)
  const native = bought === wrappedNative && (flow.withdrawn + received) * 10n >= boughtAmount * 9n
  return { token: bought, amount: boughtAmount, native }
}

function groupByTransaction(events: readonly PoolEvent[]): Map<number, PoolEvent[]> {
  const groups = new Map<number, PoolEvent[]>()
  for (const event of events) {
    const group = groups.get(event.transactionIndex)
    if (group === undefined) groups.set(event.transactionIndex, [event])
    else group.push(event)
  }
  return groups
}
