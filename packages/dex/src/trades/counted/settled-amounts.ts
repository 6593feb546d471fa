import type { Address, Transaction } from '../../chain.ts'
import { absolute, larger, smaller } from '../../maths/integers.ts'
import { Totals } from '../../totals.ts'
import type { Ledger } from '../receipt/ledger.ts'
import { totalOf } from '../receipt/receipt-flows.ts'
import { FEE_DIVISOR } from '../routes.ts'
import { END_SIDES, type EndSide, type Leg, type OrderAmounts, type PlacedOrder, type Trade } from '../trade.ts'

interface SettledFacts {
  transaction: Transaction
  ledger: Ledger
}

const NOTHING: OrderAmounts = { sell: 0n, buy: 0n }

/**
 * Sets `Trade.settled` (docs/internals/usd.md, "Orders of settlements").
 *
 * @param orders by trade; undefined for a trade that is not an order
 */
export function withSettledAmounts(
  trades: Trade[],
  orders: readonly (PlacedOrder | undefined)[],
  facts: SettledFacts,
): Trade[] {
  if (orders.every((order) => order === undefined)) return trades
  const placed = trades.flatMap((trade, index) => {
    const order = orders[index]
    return order === undefined ? [] : [{ ...order, trade, index, moved: movedByHops(trade) }]
  })
  placed.sort((a, b) => a.logIndex - b.logIndex)
  const money = new OwnersMoney(facts)
  for (const { owner, trade, moved } of placed) money.note(owner, trade, moved)
  const counted = placed.map((order) => ({ ...order, counted: money.use(order.owner, order.trade, order.moved) }))
  const filled = new FilledAmounts()
  const result = [...trades]
  for (const { owner, trade, index, moved, counted: ofMoved } of counted) {
    const { sell, buy } = trade
    // If hops move all but a fee of an order, the rest is the fee.
    const isFilled = (sell.amount - moved.sell) * FEE_DIVISOR > sell.amount
    const whole = isFilled ? { sell: sell.amount - moved.sell, buy: buy.amount - moved.buy } : NOTHING
    const rest = money.use(owner, trade, filled.take(trade, money.cover(owner, trade, whole)))
    result[index] = { ...trade, settled: { moved: ofMoved, rest } }
  }
  return result
}

function partOf({ sell, buy }: OrderAmounts, part: bigint, whole: bigint): OrderAmounts {
  return whole === 0n ? { sell, buy } : { sell: (sell * part) / whole, buy: (buy * part) / whole }
}

function largerShare(parts: OrderAmounts, whole: OrderAmounts): [part: bigint, whole: bigint] {
  const isBySold = parts.sell * whole.buy >= parts.buy * whole.sell
  return isBySold ? [parts.sell, whole.sell] : [parts.buy, whole.buy]
}

/**
 * Judges by the end of which the hops moved the larger share. The whole order counts if they touch neither end, because
 * the pools that lead there are not indexed.
 */
function movedByHops({ sell, buy, hops, routes }: Trade): OrderAmounts {
  const parts = routes?.flatMap((route) => route.hops) ?? hops
  const order = { sell: sell.amount, buy: buy.amount }
  const moved = { sell: 0n, buy: 0n }
  for (const { tokenIn, amountIn, tokenOut, amountOut } of parts) {
    if (tokenIn === sell.token) moved.sell += amountIn
    if (tokenOut === buy.token) moved.buy += amountOut
  }
  if (parts.length > 0 && moved.sell === 0n && moved.buy === 0n) return order
  const [part, whole] = largerShare(moved, order)
  return partOf(order, smaller(part, whole), whole)
}

class FilledAmounts {
  readonly #open: Record<EndSide, Totals<Address>> = { sell: new Totals(), buy: new Totals() }

  take(trade: Trade, rest: OrderAmounts): OrderAmounts {
    // What this order sells, other orders bought, and vice versa.
    const sell = this.#use('buy', trade.sell.token, rest.sell)
    const buy = this.#use('sell', trade.buy.token, rest.buy)
    const [used, whole] = largerShare({ sell, buy }, rest)
    const left = partOf(rest, whole - used, whole)
    for (const side of END_SIDES) this.#open[side].add(trade[side].token, left[side])
    return left
  }

  #use(side: EndSide, token: Address, amount: bigint): bigint {
    const open = this.#open[side].of(token)
    const used = smaller(open, amount)
    this.#open[side].set(token, open - used)
    return used
  }
}

class OwnersMoney {
  readonly #facts: SettledFacts
  readonly #left = new Totals<string>()
  /** What all owners netted of a token, minus what hops moved and what the rests of earlier orders used. */
  readonly #open = new Totals<string>()
  /**
   * Net coins that were wrapped or unwrapped, beyond the transaction's `value`. An owner may have wrapped coins of its
   * own, or received coins that somebody else unwrapped.
   */
  readonly #fresh: Record<EndSide, bigint>

  constructor(facts: SettledFacts) {
    this.#facts = facts
    const { transaction, ledger } = facts
    const { flows } = ledger
    const wrapped = totalOf(flows.deposits) - totalOf(flows.withdrawals)
    const isUnknown = flows.coins === undefined
    this.#fresh = {
      sell: isUnknown ? larger(wrapped - transaction.value, 0n) : 0n,
      buy: isUnknown ? larger(-wrapped, 0n) : 0n,
    }
  }

  note(owner: Address, trade: Trade, moved: OrderAmounts): void {
    for (const side of END_SIDES) {
      const { token } = trade[side]
      const key = `${side} ${token}`
      const fresh = this.#open.has(key) ? 0n : this.#freshOf(side, token)
      const isFirst = !this.#left.has(`${key} ${owner}`)
      const net = isFirst ? this.#netOf(owner, side, token) : 0n
      if (isFirst) this.#left.set(`${key} ${owner}`, net)
      this.#open.add(key, net + fresh - moved[side])
    }
  }

  cover(owner: Address, trade: Trade, rest: OrderAmounts): OrderAmounts {
    const backed = (side: EndSide) => {
      const { token } = trade[side]
      const left = this.#left.of(`${side} ${token} ${owner}`) + this.#freshOf(side, token)
      const open = larger(this.#open.of(`${side} ${token}`), 0n)
      return smaller(rest[side], smaller(left, open))
    }
    const [part, whole] = largerShare({ sell: backed('sell'), buy: backed('buy') }, rest)
    const covered = partOf(rest, part, whole)
    for (const side of END_SIDES) this.#open.add(`${side} ${trade[side].token}`, -covered[side])
    return covered
  }

  use(owner: Address, { sell, buy }: Trade, amounts: OrderAmounts): OrderAmounts {
    return {
      sell: this.#use(owner, 'sell', sell, amounts.sell),
      buy: this.#use(owner, 'buy', buy, amounts.buy),
    }
  }

  #use(owner: Address, side: EndSide, { token }: Leg, amount: bigint): bigint {
    const key = `${side} ${token} ${owner}`
    const left = this.#left.of(key)
    const ownPart = smaller(left, amount)
    this.#left.set(key, left - ownPart)
    const fresh = smaller(this.#freshOf(side, token), amount - ownPart)
    this.#fresh[side] -= fresh
    return ownPart + fresh
  }

  #freshOf(side: EndSide, token: Address): bigint {
    return token === this.#facts.ledger.wrappedNative ? this.#fresh[side] : 0n
  }

  /**
   * Returns the size of an owner's net, or 0 if it has the wrong direction for this end. Coins count as their wrapper.
   */
  #netOf(owner: Address, side: EndSide, token: Address): bigint {
    const { ledger, transaction } = this.#facts
    const net = ledger.withCoins(token, transaction).of(owner)
    return net < 0n === (side === 'sell') ? absolute(net) : 0n
  }
}
