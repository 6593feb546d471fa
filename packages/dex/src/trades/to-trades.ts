import type { Address, Block, Hex, Log, Transaction } from '../chain.ts'
import type { Deployment, Settlement } from '../deployments/deployment.ts'
import type { Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { present } from '../present.ts'
import { keeperOf } from '../venues/managed-pool.ts'
import { DEX_KINDS, decodersOf } from '../venues/registry.ts'
import { accountTrades, tradeWithoutHops } from './accounts/account-trades.ts'
import { operationParts, type TransactionPart } from './accounts/operations.ts'
import { withCountedAmounts } from './counted/counted-amounts.ts'
import { withSettledAmounts } from './counted/settled-amounts.ts'
import { outsideNets } from './counted/transaction-money.ts'
import { type DroppedSwap, toHops } from './hops.ts'
import { withPassingLiquidity } from './liquidity/passing-liquidity.ts'
import { withMovedAmounts } from './moved/moved-amounts.ts'
import { ownSwaps } from './own-swaps.ts'
import { poolTradeMaker } from './receipt/coin-ends.ts'
import { withoutIncome } from './receipt/income.ts'
import { Ledger } from './receipt/ledger.ts'
import { receiptFlows, withoutGas } from './receipt/receipt-flows.ts'
import { isOrderLog, namedAccounts, reportedOrders, settlementEvents } from './receipt/settlements.ts'
import { withMakers } from './receipt/trade-accounts.ts'
import { type TradeEnds, tradeEnds } from './receipt/trade-ends.ts'
import { collapseHops } from './routes.ts'
import { transactionMoves } from './token-moves.ts'
import type { Hop, PlacedOrder, PoolTrade, Trade } from './trade.ts'

export interface TradeRules {
  wrappedNative: Address
  /** Anchors and curated tokens, whose transfer events can be relied on. */
  trusted: ReadonlySet<Address>
  /** Tokens with a price. */
  anchors: ReadonlySet<Address>
  settlements: readonly Settlement[]
}

export function tradeRules(deployment: Deployment): TradeRules {
  const { wrappedNative, stablecoins, tokens, settlements = [] } = deployment
  const anchors = new Set([wrappedNative, ...stablecoins, ...deployment.anchors])
  const trusted = new Set([...anchors, ...tokens.map(({ address }) => address)])
  return { wrappedNative, trusted, anchors, settlements }
}

interface TransactionHops {
  transaction: Transaction
  transactionIndex: number
  hops: readonly Hop[]
  dropped: readonly DroppedSwap[]
  /** The transaction has settlement orders, which may be trades without hops. */
  hasOrders?: true
}

export interface BlockHops {
  block: Block
  transactions: readonly TransactionHops[]
}

/**
 * Returns the transactions of a block with hops, dropped events or settlement orders. `events` are in log order,
 * `pools` are verified.
 */
export function blockHops(
  block: Block,
  events: readonly PoolEvent[],
  pools: ReadonlyMap<PoolAddress, Pool>,
  { wrappedNative, settlements }: Pick<TradeRules, 'wrappedNative' | 'settlements'>,
): BlockHops {
  const transactions: TransactionHops[] = []
  const ordering = new Set<number>()
  for (const log of block.logs) if (isOrderLog(log, settlements)) ordering.add(log.transactionIndex)
  const note = (transactionIndex: number, found: Pick<TransactionHops, 'hops' | 'dropped'>) => {
    const hasOrders = ordering.delete(transactionIndex)
    if (found.hops.length === 0 && found.dropped.length === 0 && !hasOrders) return
    const transaction = block.transactions.get(transactionIndex)
    if (transaction === undefined) throw new Error(`block ${block.number} lacks its transaction ${transactionIndex}`)
    transactions.push({ transaction, transactionIndex, ...found, ...(hasOrders && { hasOrders }) })
  }
  // Events of a transaction are adjacent.
  for (let from = 0, next = 1; from < events.length; from = next++) {
    const { transactionIndex } = present(events[from])
    while (events[next]?.transactionIndex === transactionIndex) next++
    note(transactionIndex, toHops(events.slice(from, next), pools, wrappedNative))
  }
  if (ordering.size === 0) return { block, transactions }
  for (const transactionIndex of ordering) note(transactionIndex, { hops: [], dropped: [] })
  return { block, transactions: transactions.sort((a, b) => a.transactionIndex - b.transactionIndex) }
}

export function tradingTransactions({ transactions }: BlockHops): { hash: Hex; transactionIndex: number }[] {
  return transactions
    .filter(mayTrade)
    .map(({ transaction, transactionIndex }) => ({ hash: transaction.hash, transactionIndex }))
}

function mayTrade({ hops, hasOrders }: TransactionHops): boolean {
  return hops.length > 0 || hasOrders === true
}

/**
 * Returns the trades of a block, ordered by transaction. Within a transaction, the sales that tokens made for
 * themselves come last. `receipts` holds every log of the transactions with hops or orders, by hash.
 */
export function toTrades(
  { block, transactions }: BlockHops,
  rules: TradeRules,
  receipts: ReadonlyMap<Hex, readonly Log[]>,
): Trade[] {
  const trades: Trade[] = []
  for (const transactionHops of transactions) {
    if (!mayTrade(transactionHops)) continue
    const { hash } = transactionHops.transaction
    const logs = receipts.get(hash)
    if (logs === undefined) throw new Error(`the receipt of ${hash} is missing`)
    for (const trade of transactionTrades(block, transactionHops, logs, rules)) trades.push(trade)
  }
  return trades
}

function transactionTrades(
  block: Block,
  transactionHops: TransactionHops,
  logs: readonly Log[],
  rules: TradeRules,
): Trade[] {
  const { transaction, hops: reported, dropped } = transactionHops
  const { wrappedNative, anchors, trusted, settlements } = rules
  const ledger = new Ledger(receiptFlows(logs, wrappedNative, block.logsEther), wrappedNative)
  const hops = withPassingLiquidity(withMovedAmounts(reported, logs, ledger), logs)

  const parts = operationParts(hops, logs, settlements)
  const made: MadeTrade[] = []
  for (const part of parts) made.push(...partTrades(transaction, part, ledgerOfPart(part, logs, ledger), rules))
  made.sort((a, b) => Number(a.byToken) - Number(b.byToken) || placeOf(a.ends) - placeOf(b.ends))
  const whole = made.map((trade, position) => wholeTrade(block, transactionHops, trade, position))

  const facts = { transaction, logs, ledger, hops, dropped, anchors }
  const orders = made.map(({ order }) => order)
  const trades = withSettledAmounts(withCountedAmounts(whole, facts), orders, facts)
  const [first] = trades
  if (first === undefined) return []
  const moves = transactionMoves(trades, hops, ledger.flows.transfers, trusted)
  if (moves.length > 0) first.moves = moves
  first.outside = outsideNets(hops, ledger, transaction)
  return trades
}

/** Returns the log index of the first hop in which a trade has a share, or `MAX_SAFE_INTEGER` if there is none. */
function placeOf({ hops, routes = [] }: Pick<TradeEnds, 'hops' | 'routes'>): number {
  let place = hops[0]?.logIndex ?? Number.MAX_SAFE_INTEGER
  for (const route of routes) place = Math.min(place, route.hops[0]?.logIndex ?? place)
  return place
}

/** Written out, because spreading the ends takes longer than finding them. */
function wholeTrade(
  block: Block,
  { transaction, transactionIndex }: TransactionHops,
  { ends, byToken }: MadeTrade,
  position: number,
): Trade {
  const { settledFor, sell, buy, hops, isPartial } = ends
  const trade: Trade = {
    blockNumber: block.number,
    timestamp: block.timestamp,
    transactionIndex,
    position,
    txHash: transaction.hash,
    trader: transaction.from,
    settledFor,
    sell,
    buy,
    hops,
    byToken,
    isPartial,
  }
  if (ends.throughPools !== undefined) trade.throughPools = ends.throughPools
  if (ends.routes !== undefined) trade.routes = ends.routes
  if (ends.endsToCompare !== undefined) trade.endsToCompare = ends.endsToCompare
  if (ends.accountEnds !== undefined) trade.accountEnds = ends.accountEnds
  return trade
}

function ledgerOfPart(part: TransactionPart, logs: readonly Log[], ledger: Ledger): Ledger {
  if (part.logs === logs) return ledger
  return ledger.with(receiptFlows(part.logs, ledger.wrappedNative, ledger.flows.coins !== undefined))
}

interface MadeTrade {
  ends: TradeEnds
  byToken: boolean
  /** Undefined: not of an order. */
  order?: PlacedOrder
}

/**
 * Sets tokens' own swaps aside, finds the named accounts and their orders, divides the hops among the orders, and reads
 * the ends of the remaining routes from the receipt (docs/internals/trades.md).
 */
function partTrades(
  transaction: Transaction,
  part: TransactionPart,
  partLedger: Ledger,
  rules: TradeRules,
): MadeTrade[] {
  const { hops, logs, operator } = part
  const { wrappedNative, settlements, trusted: listed } = rules
  const ledger = partLedger.with(withoutGas(partLedger.flows, settlements))
  const ofTokens = ownSwaps(hops, ledger.flows.transfers, transaction.from, wrappedNative)
  const ofTrader = ofTokens.size === 0 ? hops : hops.filter((hop) => !ofTokens.has(hop))
  const toPoolTrade = poolTradeMaker({ hops, transaction, ledger, hasOwnSwaps: ofTokens.size > 0 })

  const venues = venuesOf(hops, logs)
  const makerFacts = { transaction, logs, ledger, hasHops: ofTrader.length > 0, venues, settlements }
  const events = settlementEvents(logs, settlements)
  const named = withMakers(namedAccounts(events, settlements), makerFacts)
  const reported = reportedOrders(events, settlements, wrappedNative)

  const accountFacts = { transaction, ledger, named, reported, listed }
  const ofAccounts = accountTrades(ofTrader, accountFacts)
  const orders = ofAccounts?.trades ?? []
  const others = ofAccounts?.others ?? named
  // The owner of an order cannot be the account of another trade.
  for (const { order } of orders) venues.add(order.owner)
  const isOwner = orders.some(({ order }) => order.owner === transaction.from)
  const signed = isOwner ? { ...transaction, from: null } : transaction

  const routes = collapseHops(ofAccounts?.rest ?? ofTrader).map(toPoolTrade)
  const principals = others.map(({ account }) => account)
  const routeEnds = (): TradeEnds[] => {
    const ends = new Set<Address>()
    for (const { sell, buy } of routes) ends.add(sell.token).add(buy.token)
    const accounts = signed.from === null ? principals : [signed.from, ...principals]
    const income = { transaction, hops, venues, listed, ends, accounts }
    return tradeEnds(routes, {
      transaction: signed,
      ...(operator !== undefined && { operator }),
      venues,
      principals,
      named: others,
      orders: reported,
      listed,
      ledger: withoutIncome(ledger, income),
      withIncome: ledger,
    })
  }
  // If every named account has a trade, the remaining hops are the settlement contract's own.
  const isOfSettlement = ofAccounts !== null && principals.length === 0
  const ends = isOfSettlement ? routes.map(asPools) : routeEnds()
  const made: MadeTrade[] = orders.map((trade) => ({ ...trade, byToken: false }))
  for (const ofRoute of ends) made.push({ ends: ofRoute, byToken: false })
  const [only] = named
  if (ofAccounts === null && named.length === 1 && only !== undefined) {
    const isLeftOut = ends.every(({ settledFor }) => settledFor !== only.account)
    const leftOut = isLeftOut ? tradeWithoutHops(only, accountFacts) : null
    if (leftOut !== null) made.push({ ...leftOut, byToken: false })
  }
  const taxes = ofTokens.size === 0 ? [] : collapseHops([...ofTokens]).map(toPoolTrade)
  for (const trade of taxes) made.push({ ends: asPools(trade), byToken: true })
  return made
}

function asPools(trade: PoolTrade): TradeEnds {
  return { ...trade, settledFor: null, isPartial: false }
}

const POOL_TOPICS: ReadonlySet<Hex> = new Set(decodersOf(DEX_KINDS).keys())

function venuesOf(hops: readonly Hop[], logs: readonly Log[]): Set<Address> {
  const venues = new Set<Address>()
  for (const { pool } of hops) venues.add(keeperOf(pool))
  for (const { address, topics } of logs) if (topics[0] !== undefined && POOL_TOPICS.has(topics[0])) venues.add(address)
  return venues
}
