import type { Block, Log, Transaction } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Deployment, Settlement } from '../deployments/deployment.ts'
import type { Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { type DroppedSwap, toHops } from './hops.ts'
import { boughtLeg, soldLeg, withdrawalsOf } from './native-legs.ts'
import { needsReceipt, ownSwaps } from './own-swaps.ts'
import { collapseHops, type NetSwap } from './routes.ts'
import { endsOfOrder, type SettledOrder, settledFor, settledOrders } from './settlements.ts'
import { tokenMoves } from './token-moves.ts'
import { tokenTransfers } from './token-transfers.ts'
import type { Hop, Trade } from './trade.ts'
import { type WrapperFlow, wrapperFlows } from './wrapper-flow.ts'

/** What of a deployment decides about trades. */
export interface TradeRules {
  wrappedNative: Address
  /** Tokens that do not tax their transfers: the wrapped coin, stablecoins, majors. */
  anchors: ReadonlySet<Address>
  /** Anchors and the curated list: whether they pass from pool to pool whole, nobody needs to know. */
  trusted: ReadonlySet<Address>
  settlements: readonly Settlement[]
}

export function tradeRules(deployment: Deployment): TradeRules {
  const { wrappedNative, stablecoins, tokens, settlements = [] } = deployment
  const anchors = [wrappedNative, ...stablecoins, ...deployment.anchors]
  const trusted = new Set([...anchors, ...tokens.map(({ address }) => address)])
  return { wrappedNative, anchors: new Set(anchors), trusted, settlements }
}

/** The hops of one transaction, in log order, and what else its pools reported as swaps. */
interface TransactionHops {
  transaction: Transaction
  transactionIndex: number
  hops: readonly Hop[]
  dropped: readonly DroppedSwap[]
}

export interface BlockHops {
  block: Block
  /** By transaction index. */
  transactions: readonly TransactionHops[]
}

/**
 * The hops of a block, by transaction.
 *
 * @param events the block's pool events in log order
 * @param pools the verified pools among their emitters
 */
export function blockHops(
  block: Block,
  events: readonly PoolEvent[],
  pools: ReadonlyMap<PoolAddress, Pool>,
  wrappedNative: Address,
): BlockHops {
  const transactions: TransactionHops[] = []
  for (const ofTransaction of byTransaction(events)) {
    const { hops, dropped } = toHops(ofTransaction, pools, wrappedNative)
    if (hops.length === 0 && dropped.length === 0) continue
    const transactionIndex = ofTransaction[0]?.transactionIndex ?? -1
    const transaction = block.transactions.get(transactionIndex)
    if (transaction === undefined) throw new Error(`block ${block.number} lacks its transaction ${transactionIndex}`)
    transactions.push({ transaction, transactionIndex, hops, dropped })
  }
  return { block, transactions }
}

/** The transactions of a block whose hops do not tell whose they are: their receipts do. */
export function ambiguousTransactions({ transactions }: BlockHops, { anchors }: TradeRules): Hex[] {
  return transactions.filter(({ hops }) => needsReceipt(hops, anchors)).map(({ transaction }) => transaction.hash)
}

/**
 * The trades of a block by transaction index, then position: a transaction's own trades in the order of their first
 * hops, then what a token's contract sold within them (docs/trades.md).
 *
 * @param receipts every log of the block's ambiguous transactions, by hash
 */
export function toTrades(
  { block, transactions }: BlockHops,
  rules: TradeRules,
  receipts: ReadonlyMap<Hex, readonly Log[]>,
): Trade[] {
  if (transactions.length === 0) return []
  const flows = wrapperFlows(block, rules.wrappedNative)
  const orders = settledOrders(block, rules.settlements)
  const trades: Trade[] = []
  for (const ofTransaction of transactions) {
    const { hops, transactionIndex } = ofTransaction
    const flow = flows.get(transactionIndex) ?? NO_FLOW
    const ordered = orders.get(transactionIndex) ?? NO_ORDERS
    const own = ownHops(ofTransaction, rules, receipts)
    const ofTrader = collapseHops(own.size === 0 ? hops : hops.filter((hop) => !own.has(hop)))
    const ofTokens = own.size === 0 ? [] : collapseHops([...own])
    const facts = {
      block,
      rules,
      ofTransaction,
      flow,
      orders: ordered,
      isShared: own.size > 0,
      isAlone: ofTrader.length === 1,
    }
    const [first, moves] = [trades.length, tokenMoves(hops, rules.trusted)]
    let position = 0
    for (const swap of ofTrader) trades.push(tradeOf(swap, facts, position++, false))
    for (const swap of ofTokens) trades.push(tradeOf(swap, facts, position++, true))
    if (moves.length > 0 && trades[first]) trades[first].moves = moves
  }
  return trades
}

const NO_FLOW: WrapperFlow = { deposits: [], withdrawals: [] }
const NO_ORDERS: readonly SettledOrder[] = []
const NO_HOPS: ReadonlySet<Hop> = new Set()

function ownHops(
  { transaction, hops }: TransactionHops,
  { anchors, wrappedNative }: TradeRules,
  receipts: ReadonlyMap<Hex, readonly Log[]>,
): ReadonlySet<Hop> {
  if (!needsReceipt(hops, anchors)) return NO_HOPS
  const logs = receipts.get(transaction.hash)
  if (logs === undefined) throw new Error(`the receipt of ${transaction.hash} is missing`)
  return ownSwaps(hops, tokenTransfers(logs), transaction.from, wrappedNative)
}

/** What the trades of one transaction share. */
interface TransactionFacts {
  block: Block
  rules: TradeRules
  ofTransaction: TransactionHops
  flow: WrapperFlow
  orders: readonly SettledOrder[]
  /** The transaction's withdrawals are those of its trader's and of a token's swaps. */
  isShared: boolean
  /** Nobody else trades in the transaction, except a token for itself. */
  isAlone: boolean
}

function tradeOf(swap: NetSwap, facts: TransactionFacts, position: number, byToken: boolean): Trade {
  const { block, rules, ofTransaction, flow, orders, isShared, isAlone } = facts
  const { wrappedNative } = rules
  const { transaction, transactionIndex, hops } = ofTransaction
  const withdrawals = isShared ? withdrawalsOf(swap.hops, hops, flow.withdrawals, wrappedNative) : flow.withdrawals
  const { hash: txHash, from: trader, value } = transaction
  const coins = { wrappedNative, trader, value, flow: { deposits: flow.deposits, withdrawals } }
  const own = { sell: soldLeg(swap, coins), buy: boughtLeg(swap, coins) }
  const [order] = orders
  const ends =
    order !== undefined && orders.length === 1 && isAlone && !byToken ? endsOfOrder(own, order, wrappedNative) : null
  const { sell, buy } = ends ?? own
  const trade: Trade = {
    blockNumber: block.number,
    timestamp: block.timestamp,
    transactionIndex,
    position,
    txHash,
    trader,
    settledFor: byToken || orders.length === 0 ? null : settledFor(swap, orders, wrappedNative),
    sell,
    buy,
    hops: swap.hops,
    byToken,
  }
  return ends === null ? trade : { ...trade, throughPools: own }
}

/** In log order the events of a transaction follow each other. */
function* byTransaction(events: readonly PoolEvent[]): Generator<PoolEvent[]> {
  let first = 0
  for (let next = 1; next <= events.length; next++) {
    if (events[next]?.transactionIndex === events[first]?.transactionIndex) continue
    yield events.slice(first, next)
    first = next
  }
}
