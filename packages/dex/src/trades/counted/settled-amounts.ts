import type { Transaction } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import { absolute, larger, smaller } from '../../maths/integers.ts'
import { Totals } from '../../totals.ts'
import type { Ledger } from '../receipt/ledger.ts'
import { totalOf } from '../receipt/receipt-flows.ts'
import type { EndSide, Leg, OrderAmounts, Trade } from '../trade.ts'

/** An order of a settlement: who gave what it sold, and the log that tells it. */
export interface PlacedOrder {
  owner: Address
  logIndex: number
}

interface SettledFacts {
  transaction: Transaction
  ledger: Ledger
}

/** Hops that move all but at most this part (1/20) of an order move all of it: the rest is a fee. */
const FEE_DIVISOR = 20n

const SIDES = ['sell', 'buy'] as const

/**
 * Returns the trades of a transaction, those with an order with what counts of it (`Trade.settled`), in both tokens:
 *
 * 1. What its hops moved.
 * 2. Of the rest, what the owner's money covers, and no earlier order moved: of orders that fill each other the earliest
 *    one counts.
 *
 * Both count at most what the owner netted of the token in the whole transaction, once for all its orders. An account
 * that fills its own order, with borrowed money too, nets nothing. The rests of all orders count at most what all owners
 * netted beside what hops moved: parts of hops that such an account takes away are missing to the others.
 *
 * @param orders by trade; undefined for a trade that is no order
 */
export function withSettledAmounts(
  trades: Trade[],
  orders: readonly (PlacedOrder | undefined)[],
  facts: SettledFacts,
): Trade[] {
  const placed = trades.flatMap((trade, at) => {
    const order = orders[at]
    return order === undefined ? [] : [{ ...order, trade, at, moved: movedByHops(trade) }]
  })
  if (placed.length === 0) return trades
  placed.sort((a, b) => a.logIndex - b.logIndex)
  const money = new OwnersMoney(facts)
  for (const { owner, trade, moved } of placed)
    for (const side of SIDES) money.note(owner, trade[side], side, moved[side])
  const counted = placed.map(({ owner, trade, moved }) => money.use(owner, trade, moved))
  const filled = new FilledAmounts()
  const result = [...trades]
  placed.forEach(({ owner, trade, at, moved }, place) => {
    const isFilled = (trade.sell.amount - moved.sell) * FEE_DIVISOR > trade.sell.amount
    const whole = isFilled ? restOf(trade, moved) : NOTHING
    const rest = money.use(owner, trade, filled.take(trade, money.cover(owner, trade, whole)))
    result[at] = { ...trade, settled: { moved: counted[place] ?? NOTHING, rest } }
  })
  return result
}

const NOTHING: OrderAmounts = { sell: 0n, buy: 0n }

function restOf({ sell, buy }: Trade, moved: OrderAmounts): OrderAmounts {
  return { sell: sell.amount - moved.sell, buy: buy.amount - moved.buy }
}

/** Returns the part `part / whole` of both amounts; all of them if the whole is nothing. */
function partOf({ sell, buy }: OrderAmounts, part: bigint, whole: bigint): OrderAmounts {
  return whole === 0n ? { sell, buy } : { sell: (sell * part) / whole, buy: (buy * part) / whole }
}

/**
 * Returns how much of an order its hops moved, by the end of which they moved more; all of it if they touch neither end,
 * as what leads there is not read.
 */
function movedByHops({ sell, buy, hops, routes }: Trade): OrderAmounts {
  const parts = routes?.flatMap((route) => route.hops) ?? hops
  let took = 0n
  let gave = 0n
  for (const { tokenIn, amountIn, tokenOut, amountOut } of parts) {
    if (tokenIn === sell.token) took += amountIn
    if (tokenOut === buy.token) gave += amountOut
  }
  if (parts.length > 0 && took === 0n && gave === 0n) return { sell: sell.amount, buy: buy.amount }
  const isBySold = took * buy.amount >= gave * sell.amount
  const [part, whole] = isBySold ? [took, sell.amount] : [gave, buy.amount]
  return partOf({ sell: sell.amount, buy: buy.amount }, smaller(part, whole), whole)
}

/** What orders sold and bought that no hop moved, by token, as far as no later order was filled with it. */
class FilledAmounts {
  readonly #open: Record<EndSide, Totals<Address>> = { sell: new Totals(), buy: new Totals() }

  /** Returns what of an order's rest no earlier order moved. */
  take({ sell, buy }: Trade, rest: OrderAmounts): OrderAmounts {
    // What it sells was bought by others, and the reverse.
    const ofSold = this.#use('buy', sell.token, rest.sell)
    const ofBought = this.#use('sell', buy.token, rest.buy)
    const isMoreSold = ofSold * rest.buy >= ofBought * rest.sell
    const [used, whole] = isMoreSold ? [ofSold, rest.sell] : [ofBought, rest.buy]
    const own = partOf(rest, whole - used, whole)
    for (const [side, { token }] of [['sell', sell] as const, ['buy', buy] as const]) {
      this.#open[side].add(token, own[side])
    }
    return own
  }

  #use(side: EndSide, token: Address, amount: bigint): bigint {
    const open = this.#open[side].of(token)
    const used = smaller(open, amount)
    this.#open[side].set(token, open - used)
    return used
  }
}

/** What owners gave and got in a transaction, as far as no order has used it up. */
class OwnersMoney {
  readonly #facts: SettledFacts
  readonly #left = new Totals<string>()
  /** What all owners netted of a token, less what hops moved and what the rests of orders used. */
  readonly #open = new Totals<string>()
  /**
   * Coins that became wrapped in total, or were unwrapped, beside those that the signer sent along. If coins are not
   * logged, an owner may have wrapped its own, or was paid what somebody unwrapped.
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

  /** Notes an order's end, of which hops moved an amount. */
  note(owner: Address, { token }: Leg, side: EndSide, moved: bigint): void {
    const key = `${side} ${token}`
    const fresh = this.#open.has(key) ? 0n : this.#freshOf(side, token)
    const isFirst = !this.#left.has(`${key} ${owner}`)
    const net = isFirst ? this.#netOf(owner, side, token) : 0n
    if (isFirst) this.#left.set(`${key} ${owner}`, net)
    this.#open.add(key, net + fresh - moved)
  }

  /** Returns how much of an order's rest is backed by money, by the end that shows more, and uses up what all netted. */
  cover(owner: Address, trade: Trade, rest: OrderAmounts): OrderAmounts {
    const backed = (side: EndSide) => {
      const { token } = trade[side]
      const left = this.#left.of(`${side} ${token} ${owner}`) + this.#freshOf(side, token)
      const open = larger(this.#open.of(`${side} ${token}`), 0n)
      return smaller(rest[side], smaller(left, open))
    }
    const sell = backed('sell')
    const buy = backed('buy')
    const isBySold = sell * rest.buy >= buy * rest.sell
    const covered = isBySold ? partOf(rest, sell, rest.sell) : partOf(rest, buy, rest.buy)
    for (const side of SIDES) {
      this.#open.add(`${side} ${trade[side].token}`, -covered[side])
    }
    return covered
  }

  /** Returns how much of an order's amounts the owner's nets cover, and uses these up. */
  use(owner: Address, { sell, buy }: Trade, amounts: OrderAmounts): OrderAmounts {
    return {
      sell: this.#use(owner, 'sell', sell.token, amounts.sell),
      buy: this.#use(owner, 'buy', buy.token, amounts.buy),
    }
  }

  #use(owner: Address, side: EndSide, token: Address, amount: bigint): bigint {
    const key = `${side} ${token} ${owner}`
    const left = this.#left.of(key)
    const own = smaller(left, amount)
    this.#left.set(key, left - own)
    const fresh = smaller(this.#freshOf(side, token), amount - own)
    this.#fresh[side] -= fresh
    return own + fresh
  }

  #freshOf(side: EndSide, token: Address): bigint {
    return token === this.#facts.ledger.wrappedNative ? this.#fresh[side] : 0n
  }

  /** Returns the size of an owner's net of a token in the direction of an end; coins count as their wrapper. */
  #netOf(owner: Address, side: EndSide, token: Address): bigint {
    const { ledger, transaction } = this.#facts
    const net = ledger.withCoins(token, transaction).of(owner)
    return net < 0n === (side === 'sell') ? absolute(net) : 0n
  }
}
