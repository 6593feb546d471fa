import type { Block, Log, Transaction } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Deployment, Settlement } from '../deployments/deployment.ts'
import type { Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { keeperOf } from '../venues/managed-pool.ts'
import { DEX_KINDS, decodersOf } from '../venues/registry.ts'
import { accountTrades, placeOf } from './accounts/account-trades.ts'
import { operationParts, type TransactionPart } from './accounts/operations.ts'
import { withCountedAmounts } from './counted/counted-amounts.ts'
import { outsideNets } from './counted/outside-nets.ts'
import { withSettledAmounts } from './counted/settled-amounts.ts'
import { type DroppedSwap, toHops } from './hops.ts'
import { withPassingLiquidity } from './liquidity/passing-liquidity.ts'
import { withMovedAmounts } from './moved/moved-amounts.ts'
import { boughtLeg, coinFlow, soldLeg, withdrawalsByHop, withdrawalsOf } from './native-legs.ts'
import { ownSwaps } from './own-swaps.ts'
import { withoutIncome } from './receipt/income.ts'
import { Ledger } from './receipt/ledger.ts'
import { withMakers } from './receipt/makers.ts'
import { receiptFlows, totalOf, withoutGas } from './receipt/receipt-flows.ts'
import { isOrderLog, namedAccounts, toldOrders } from './receipt/settlements.ts'
import { type TradeEnds, tradeEnds } from './receipt/trade-ends.ts'
import { collapseHops, type NetSwap } from './routes.ts'
import { shortPayments, tokenMoves } from './token-moves.ts'
import type { Hop, PoolTrade, TokenMove, Trade } from './trade.ts'

/** The parts of a deployment that affect trades. */
export interface TradeRules {
  wrappedNative: Address
  /**
   * Anchors and the curated list: they need no proof of arriving whole, so that only moves which arrive short are
   * recorded, and their transfers are what they say.
   */
  trusted: ReadonlySet<Address>
  /** Tokens with a price: the wrapped coin, stablecoins, configured anchors. */
  anchors: ReadonlySet<Address>
  settlements: readonly Settlement[]
}

/** Returns the parts of a deployment that affect trades. */
export function tradeRules(deployment: Deployment): TradeRules {
  const { wrappedNative, stablecoins, tokens, settlements = [] } = deployment
  const anchors = new Set([wrappedNative, ...stablecoins, ...deployment.anchors])
  const trusted = new Set([...anchors, ...tokens.map(({ address }) => address)])
  return { wrappedNative, trusted, anchors, settlements }
}

/** The hops of one transaction, in log order, and the dropped swap events of its pools. */
interface TransactionHops {
  transaction: Transaction
  transactionIndex: number
  hops: readonly Hop[]
  dropped: readonly DroppedSwap[]
  /** A settlement's event tells an order, which may be a trade without hops. */
  hasOrders?: true
}

function mayTrade({ hops, hasOrders }: TransactionHops): boolean {
  return hops.length > 0 || hasOrders === true
}

export interface BlockHops {
  block: Block
  /** Ordered by transaction index. */
  transactions: readonly TransactionHops[]
}

/**
 * Returns the hops of a block by transaction; `events` in log order, `pools` verified among their emitters. Transactions
 * with an order of one of these settlements are included, even without hops.
 */
export function blockHops(
  block: Block,
  events: readonly PoolEvent[],
  pools: ReadonlyMap<PoolAddress, Pool>,
  wrappedNative: Address,
  settlements: readonly Settlement[] = [],
): BlockHops {
  const transactions: TransactionHops[] = []
  const ordering = new Set(block.logs.flatMap((log) => (isOrderLog(log, settlements) ? [log.transactionIndex] : [])))
  const note = (transactionIndex: number, found: Pick<TransactionHops, 'hops' | 'dropped'>) => {
    const hasOrders = ordering.delete(transactionIndex)
    if (found.hops.length === 0 && found.dropped.length === 0 && !hasOrders) return
    const transaction = block.transactions.get(transactionIndex)
    if (transaction === undefined) throw new Error(`block ${block.number} lacks its transaction ${transactionIndex}`)
    transactions.push({ transaction, transactionIndex, ...found, ...(hasOrders && { hasOrders }) })
  }
  for (const ofTransaction of byTransaction(events)) {
    note(ofTransaction[0]?.transactionIndex ?? -1, toHops(ofTransaction, pools, wrappedNative))
  }
  if (ordering.size === 0) return { block, transactions }
  for (const transactionIndex of [...ordering]) note(transactionIndex, { hops: [], dropped: [] })
  return { block, transactions: transactions.sort((a, b) => a.transactionIndex - b.transactionIndex) }
}

/**
 * Returns the transactions of a block that have hops or orders. Their receipts are needed to assign the hops to
 * accounts.
 */
export function tradingTransactions({ transactions }: BlockHops): { hash: Hex; transactionIndex: number }[] {
  return transactions.flatMap((transactionHops) =>
    mayTrade(transactionHops)
      ? [{ hash: transactionHops.transaction.hash, transactionIndex: transactionHops.transactionIndex }]
      : [],
  )
}

/**
 * Returns the trades of a block, ordered by transaction: the traders' trades, then the sales that tokens made for
 * themselves. `receipts` holds every log of the block's transactions that have hops or orders, by hash.
 */
export function toTrades(
  { block, transactions }: BlockHops,
  rules: TradeRules,
  receipts: ReadonlyMap<Hex, readonly Log[]>,
): Trade[] {
  return transactions.flatMap((ofTransaction) => {
    const { transaction, transactionIndex } = ofTransaction
    if (!mayTrade(ofTransaction)) return []
    const logs = receipts.get(transaction.hash)
    if (logs === undefined) throw new Error(`the receipt of ${transaction.hash} is missing`)
    const hops = withPassingLiquidity(withMovedAmounts(ofTransaction.hops, logs, rules.wrappedNative), logs)
    const ledger = new Ledger(receiptFlows(logs, rules.wrappedNative, block.logsEther), rules.wrappedNative)
    const made = tradesOf({ ...ofTransaction, hops }, { logs, ledger }, rules)
    const whole = made.map(({ ends, byToken }, position): Trade => {
      const trade: Trade = {
        blockNumber: block.number,
        timestamp: block.timestamp,
        transactionIndex,
        position,
        txHash: transaction.hash,
        trader: transaction.from,
        settledFor: ends.settledFor,
        sell: ends.sell,
        buy: ends.buy,
        hops: ends.hops,
        byToken,
        isPartial: ends.isPartial,
      }
      if (ends.throughPools !== undefined) trade.throughPools = ends.throughPools
      if (ends.routes !== undefined) trade.routes = ends.routes
      if (ends.endsToCompare !== undefined) trade.endsToCompare = ends.endsToCompare
      return trade
    })
    const { dropped } = ofTransaction
    const facts = { transaction, logs, ledger, hops, dropped, anchors: rules.anchors }
    const orders = made.map(({ ends }) => ends.order)
    const trades = withSettledAmounts(withCountedAmounts(whole, facts), orders, facts)
    const moves = [
      ...movesOf(trades, hops, rules.trusted),
      ...shortPayments(hops, ledger.flows.transfers, rules.trusted),
    ]
    const [first] = trades
    if (first === undefined) return []
    if (moves.length > 0) first.moves = moves
    first.outside = outsideNets(facts)
    return trades
  })
}

/** Returns the tokens that each account moved from pool to pool. Hops of two accounts are never combined. */
function movesOf(trades: readonly Trade[], all: readonly Hop[], trusted: ReadonlySet<Address>): TokenMove[] {
  // The case of most transactions.
  if (trades.length === 1) return tokenMoves(all, trusted)
  const hopsOf = new Map<Address | null, Hop[]>()
  for (const { settledFor, hops } of trades) {
    const ofAccount = hopsOf.get(settledFor) ?? []
    hopsOf.set(settledFor, ofAccount)
    for (const hop of hops) ofAccount.push(hop)
  }
  const moves = new Map<Address, boolean>()
  for (const hops of hopsOf.values()) {
    for (const { token, isWhole } of tokenMoves(hops, trusted)) moves.set(token, isWhole && moves.get(token) !== false)
  }
  return [...moves].map(([token, isWhole]) => ({ token, isWhole }))
}

/** A trade's ends, and whether a token made it for itself. */
interface MadeTrade {
  ends: TradeEnds
  byToken: boolean
}

function tradesOf(
  { transaction, hops }: TransactionHops,
  { logs, ledger }: { logs: readonly Log[]; ledger: Ledger },
  rules: TradeRules,
): MadeTrade[] {
  const orders = logs.filter((log) => isOrderLog(log, rules.settlements))
  const parts = operationParts(hops, orders, logs, rules.settlements)
  const trades = parts.flatMap((part) => {
    if (part.logs === logs) return tradesOfPart(transaction, part, ledger, rules)
    const flows = receiptFlows(part.logs, rules.wrappedNative, ledger.flows.coins !== undefined)
    return tradesOfPart(transaction, part, ledger.with(flows), rules)
  })
  if (parts.length < 2) return trades
  return trades.sort((a, b) => Number(a.byToken) - Number(b.byToken) || placeOf(a.ends) - placeOf(b.ends))
}

function tradesOfPart(
  transaction: Transaction,
  { hops, logs }: TransactionPart,
  ofPart: Ledger,
  { wrappedNative, settlements, trusted }: TradeRules,
): MadeTrade[] {
  const flows = withoutGas(ofPart.flows, settlements)
  const ledger = ofPart.with(flows)
  const own = ownSwaps(hops, flows.transfers, transaction.from, wrappedNative)
  const byHop = own.size === 0 ? null : withdrawalsByHop(hops, flows.withdrawals, wrappedNative)
  const { from: trader, value } = transaction
  const deposited = totalOf(flows.deposits)
  const whole = coinFlow(deposited, flows.withdrawals, trader)
  const poolTrade = (swap: NetSwap): PoolTrade => {
    const flow = byHop === null ? whole : coinFlow(deposited, withdrawalsOf(swap.hops, byHop), trader)
    const coins = { wrappedNative, trader, value, flow }
    return { sell: soldLeg(swap, coins), buy: boughtLeg(swap, coins), hops: swap.hops }
  }
  const ofTrader = own.size === 0 ? hops : hops.filter((hop) => !own.has(hop))
  const venues = venuesOf(hops, logs)
  const facts = { transaction, logs, ledger, hasHops: ofTrader.length > 0, venues, settlements }
  const named = settlements.length === 0 ? [] : withMakers(namedAccounts(logs, settlements), facts)
  const told = settlements.length === 0 ? [] : toldOrders(logs, settlements, wrappedNative)
  const ofAccounts = accountTrades(ofTrader, { transaction, ledger, named, told, listed: trusted })
  let rest = transaction
  // These accounts already have their trades, so they cannot be the account of another one.
  for (const { order } of ofAccounts?.trades ?? []) {
    if (order === undefined) continue
    venues.add(order.owner)
    if (order.owner === rest.from) rest = { ...transaction, from: null }
  }
  const others = ofAccounts?.others ?? named
  const principals = others.map(({ account }) => account)
  const routes = collapseHops(ofAccounts?.rest ?? ofTrader).map(poolTrade)
  // If every account has its trade, the remaining hops belong to the settlement contract itself.
  const isOfSettlement = ofAccounts !== null && principals.length === 0
  const ledgerOfEnds = () =>
    withoutIncome(ledger, {
      transaction,
      hops,
      venues,
      listed: trusted,
      ends: new Set(routes.flatMap(({ sell, buy }) => [sell.token, buy.token])),
      accounts: rest.from === null ? principals : [rest.from, ...principals],
    })
  const ends = isOfSettlement
    ? routes.map(asPools)
    : tradeEnds(routes, {
        transaction: rest,
        ledger: ledgerOfEnds(),
        venues,
        principals,
        told: others,
        orders: told,
        listed: trusted,
      })
  const all = ofAccounts === null ? ends : [...ofAccounts.trades, ...ends].sort((a, b) => placeOf(a) - placeOf(b))
  const ofTokens =
    own.size === 0
      ? []
      : collapseHops([...own])
          .map(poolTrade)
          .map(asPools)
  return [
    ...all.map((tradeEnds) => ({ ends: tradeEnds, byToken: false })),
    ...ofTokens.map((tradeEnds) => ({ ends: tradeEnds, byToken: true })),
  ]
}

function asPools(trade: PoolTrade): TradeEnds {
  return { ...trade, settledFor: null, isPartial: false }
}

/** First topics of all pool events, including those that are not decoded. */
const POOL_TOPICS: ReadonlySet<Hex> = new Set(decodersOf(DEX_KINDS).keys())

/** Returns the contracts that hold pools' tokens, and all contracts that emit pool events. */
function venuesOf(hops: readonly Hop[], logs: readonly Log[]): Set<Address> {
  const venues = new Set<Address>()
  for (const { pool } of hops) venues.add(keeperOf(pool))
  for (const { address, topics } of logs) if (topics[0] !== undefined && POOL_TOPICS.has(topics[0])) venues.add(address)
  return venues
}

/** Events of one transaction are adjacent in log order. */
function* byTransaction(events: readonly PoolEvent[]): Generator<PoolEvent[]> {
  let first = 0
  for (let next = 1; next <= events.length; next++) {
    if (events[next]?.transactionIndex === events[first]?.transactionIndex) continue
    yield events.slice(first, next)
    first = next
  }
}
