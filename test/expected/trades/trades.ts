import type { RecordedBlock, RecordedTransaction } from '../chain-record.ts'
import { type EndedTrade, tradesOfAccounts } from './accounts/account-trades.ts'
import type { Parties } from './accounts/flows.ts'
import { withoutIncome } from './accounts/income.ts'
import { areNear, joinRoutes } from './accounts/joined.ts'
import { withMakers } from './accounts/makers.ts'
import { ordersOf } from './accounts/orders.ts'
import { withLegs } from './legs.ts'
import { type Part, partsOf } from './operations.ts'
import { ownSwaps } from './own-swaps.ts'
import { type Hop, hopsOf, type Pools } from './receipt/hops.ts'
import { type Receipt, readReceipt } from './receipt/receipt.ts'
import { mayBeOrder, ordersTold, type Settlement, tokensTold } from './receipt/settlements.ts'
import { withMovedAmounts } from './repeated-amounts.ts'
import { tradesThroughPools } from './routes.ts'

/** A row as docs/internals/trades.md defines it. */
export interface ExpectedTrade extends EndedTrade {
  block: RecordedBlock
  transaction: RecordedTransaction
  isOwn: boolean
  /** Whether an amount or the price differs from the pools' by more than a fifth. */
  differs: boolean
  isUnconfirmed: boolean
}

export interface TradeFacts {
  wrappedNative: string
  stablecoins: readonly string[]
  anchors: readonly string[]
  tokens: readonly { address: string }[]
  settlements?: readonly Settlement[]
}

interface PlacedRow {
  row: EndedTrade
  isOwn: boolean
  firstLog: number | null
}

export function tradesOf(block: RecordedBlock, pools: Pools, facts: TradeFacts): ExpectedTrade[] {
  const { wrappedNative, stablecoins, anchors, tokens, settlements = [] } = facts
  const listed = new Set([wrappedNative, ...stablecoins, ...anchors, ...tokens.map(({ address }) => address)])
  const receiptFacts = { wrappedNative, listed, settlements, logsCoins: block.logsEther === true }
  return block.transactions.flatMap((transaction) => {
    const whole = readReceipt(transaction, receiptFacts)
    const hops = withMovedAmounts(hopsOf(whole.logs, pools, wrappedNative), whole)
    if (hops.length === 0 && !whole.logs.some((log) => mayBeOrder(log, settlements))) return []
    const rows = partsOf(transaction.logs, hops, settlements).flatMap((part) => {
      const ofPart = readReceipt(
        { ...transaction, logs: [...part.logs] },
        { ...receiptFacts, logsCoins: whole.logsCoins },
      )
      return rowsOfPart(part, ofPart, settlements)
    })
    return inOrder(rows).map(({ row, isOwn }) => ({
      ...row,
      isOwn,
      block,
      transaction,
      differs: differs(row),
      isUnconfirmed: [...row.hops, ...(row.routes ?? []).flatMap((route) => route.hops)].some(
        (hop) => hop.isUnconfirmed,
      ),
    }))
  })
}

function rowsOfPart(part: Part, receipt: Receipt, settlements: readonly Settlement[]): PlacedRow[] {
  const { hops, operator } = part
  const own = ownSwaps(hops, receipt)
  const tradesBy = (some: readonly Hop[]) => withLegs(tradesThroughPools(some), hops, own, receipt)
  const traders = hops.filter((hop) => !own.has(hop))
  const venues = new Set([...receipt.poolLike, ...hops.map(({ pool }) => pool.address)])
  const parties = withMakers(part.named, traders, venues, receipt, settlements)
  const named = parties.accounts

  const orders = ordersOf(traders, parties, receipt, settlements)
  const rest = tradesBy(orders?.rest ?? traders)
  const placed = (row: EndedTrade): PlacedRow => ({ row, isOwn: false, firstLog: row.hops[0]?.logIndex ?? null })
  const ownRows = tradesBy(hops.filter((hop) => own.has(hop))).map((trade) => {
    return { ...placed({ ...trade, ...trade.through, settledFor: null, isPartial: false }), isOwn: true }
  })
  const toldOf = (accounts: ReadonlySet<string>) =>
    tokensTold(accounts, receipt.logs, settlements, receipt.wrappedNative)
  const told = ordersTold(receipt.logs, settlements, receipt.wrappedNative)
  if (orders === null) {
    const accounts = { named, operator, venues, told: toldOf(named), orders: told }
    const rows = ofAccounts(rest, hops, accounts, receipt)
    const isLeftOut = named.size === 1 && !rows.some(({ settledFor }) => settledFor !== null && named.has(settledFor))
    // Without hops, only its nets show the order.
    const leftOut = isLeftOut ? ordersOf([], { ...parties, hasFills: false }, receipt, settlements, true) : null
    return [...rows.map(placed), ...(leftOut?.rows.map(({ row }) => placed(row)) ?? []), ...ownRows]
  }

  const others = new Set([...named].filter((account) => !orders.accounts.has(account)))
  const signer = receipt.signer !== null && orders.owners.has(receipt.signer) ? null : receipt.signer
  const accounts = {
    named: others,
    operator,
    venues: new Set([...venues, ...orders.owners]),
    told: toldOf(others),
    orders: told,
  }
  const ofOthers =
    others.size === 0
      ? rest.map((trade) => ({ ...trade, ...trade.through, settledFor: null, isPartial: false }))
      : ofAccounts(rest, hops, accounts, { ...receipt, signer })
  const ofOrders = orders.rows.map(({ row, firstLog }) => ({ row, firstLog, isOwn: false }))
  return [...ofOrders, ...ofOthers.map(placed), ...ownRows]
}

function ofAccounts(
  trades: ReturnType<typeof withLegs>,
  hops: readonly Hop[],
  parties: Parties,
  whole: Receipt,
): EndedTrade[] {
  const receipt = withoutIncome(trades, hops, parties, whole)
  return tradesOfAccounts(joinRoutes(trades, parties, receipt), parties, receipt, whole)
}

/** Orders rows by their first hop. Rows without hops come next, and own swaps last. */
function inOrder(rows: readonly PlacedRow[]): PlacedRow[] {
  const place = ({ firstLog, isOwn }: PlacedRow) => (isOwn ? 2e9 : 0) + (firstLog ?? 1e9)
  return rows.toSorted((a, b) => place(a) - place(b))
}

function differs({ sell, buy, through }: EndedTrade): boolean {
  const [isSold, isBought] = [sell.token === through.sell.token, buy.token === through.buy.token]
  if (isSold && !areNear(sell.amount, through.sell.amount)) return true
  if (isBought && !areNear(buy.amount, through.buy.amount)) return true
  return isSold && isBought && !areNear(buy.amount * through.sell.amount, through.buy.amount * sell.amount)
}
