import type { RecordedBlock, RecordedTransaction } from '../chain-record.ts'
import type { VerifiedPool } from '../pool-events.ts'
import { type Hop, hopsOf } from './hops.ts'
import { withLegs } from './legs.ts'
import { ownSwaps } from './own-swaps.ts'
import { readReceipt } from './receipt.ts'
import { tradesThroughPools } from './routes.ts'
import { accountsNamed, type Settlement } from './settlements.ts'
import { type EndedTrade, endsOf } from './trade-ends.ts'

/** What somebody did in one transaction: a row of the list (docs/trades.md). */
export interface ExpectedTrade extends EndedTrade {
  block: RecordedBlock
  transaction: RecordedTransaction
  /** A token's contract made it. */
  isOwn: boolean
}

export interface TradeFacts {
  wrappedNative: string
  settlements?: readonly Settlement[]
}

/** The trades of a block, in the order of its transactions and within them. */
export function tradesOf(
  block: RecordedBlock,
  pools: ReadonlyMap<string, VerifiedPool>,
  facts: TradeFacts,
): ExpectedTrade[] {
  return block.transactions.flatMap((transaction) =>
    tradesOfHops(transaction, hopsOf(transaction, pools), facts).map((trade) => ({ ...trade, block, transaction })),
  )
}

/** The rows of a transaction whose hops are known; own swaps of tokens behind the trader's. */
function tradesOfHops(
  transaction: RecordedTransaction,
  hops: readonly Hop[],
  { wrappedNative, settlements = [] }: TradeFacts,
): Omit<ExpectedTrade, 'block' | 'transaction'>[] {
  const receipt = readReceipt(transaction, wrappedNative)
  const own = ownSwaps(hops, receipt)
  const venues = new Set([...receipt.poolLike, ...hops.map(({ pool }) => pool.address)])
  const tradesBy = (some: readonly Hop[]) => withLegs(tradesThroughPools(some), hops, own, receipt)
  const named = accountsNamed(transaction.logs, settlements)
  const traders = tradesBy(hops.filter((hop) => !own.has(hop)))
  const rows = endsOf(traders, named, venues, receipt).map((trade) => ({ ...trade, isOwn: false }))
  const ownRows = tradesBy(hops.filter((hop) => own.has(hop))).map((trade) => {
    return { ...trade, ...trade.through, settledFor: null, isPartial: false, isOwn: true }
  })
  return [...rows, ...ownRows]
}
