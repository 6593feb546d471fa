import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { absolute } from '../../maths/integers.ts'
import type { Pool } from '../../pool.ts'
import { present } from '../../present.ts'
import { type ReadonlyTotals, Totals } from '../../totals.ts'
import { splitAmount } from '../accounts/share-hops.ts'
import type { CountedAmounts, Hop, Trade } from '../trade.ts'
import { type CountFacts, TransactionMoney } from './transaction-money.ts'

/** The account of sales that a token's contract made for itself: they are not netted with the trader's own swaps. */
const TOKENS = ZERO_ADDRESS

/** One side of a hop, or of an account's part of it. */
interface Side {
  part: Hop
  isIn: boolean
  amount: bigint
  account: Address | null
}

/** What one account swapped with one pool of one token. Signed from the pool's view: what entered it is positive. */
interface AccountSwaps {
  sides: Side[]
  net: bigint
  /** The part of the net that the account's own transfers cover; never negative. */
  own: bigint
  /** The rest of the net, signed. */
  rest: bigint
}

/**
 * Returns the trades of a transaction with what counts of each hop's amounts (`Hop.counted`), for tokens with a price.
 * Otherwise money that goes round within a transaction would count as often as it passes.
 *
 * Of a token a pool counts the sum of these two:
 *
 * 1. The net of each account's swaps, as far as the account's own transfers cover it. The account is the signer, or one
 *    that a settlement or an entry point names. Its transfers cover as much once in the whole transaction.
 * 2. The net of all other swaps, but not more than the pool's holdings changed by, liquidity, fees and donations
 *    included (`TransactionMoney`).
 *
 * Rules and honest cases: docs/internals/usd.md.
 */
export function withCountedAmounts(trades: Trade[], facts: CountFacts): Trade[] {
  const sides = sidesByToken(trades, facts.anchors)
  if (sides.size === 0) return trades
  const money = new TransactionMoney(facts)
  const counted = new Map<Hop, CountedAmounts>()
  for (const [token, pools] of sides) countToken(token, pools, money, counted)
  return counted.size === 0 ? trades : trades.map(withCounted(trades, counted))
}

/** A trade's hops, or its parts of hops that several trades share. */
function partsOf({ routes, hops }: Trade): readonly Hop[] {
  return routes === undefined ? hops : routes.flatMap((route) => route.hops)
}

type SidesByPool = Map<Pool, Side[]>

function sidesByToken(trades: readonly Trade[], anchors: ReadonlySet<Address>): Map<Address, SidesByPool> {
  const tokens = new Map<Address, SidesByPool>()
  const note = (token: Address, side: Side) => {
    if (!anchors.has(token) || side.amount === 0n) return
    const pools: SidesByPool = tokens.get(token) ?? new Map()
    tokens.set(token, pools)
    const { pool } = side.part
    const known = pools.get(pool)
    if (known === undefined) pools.set(pool, [side])
    else known.push(side)
  }
  for (const trade of trades) {
    const account = trade.byToken ? TOKENS : (trade.settledFor ?? trade.trader)
    for (const part of partsOf(trade)) {
      note(part.tokenIn, { part, isIn: true, amount: part.amountIn, account })
      note(part.tokenOut, { part, isIn: false, amount: part.amountOut, account })
    }
  }
  return tokens
}

/** Notes the sides of a token that do not count in full. */
function countToken(
  token: Address,
  pools: SidesByPool,
  money: TransactionMoney,
  counted: Map<Hop, CountedAmounts>,
): void {
  for (const [pool, sides] of inOrder(pools)) {
    const gross = sides.reduce((sum, { amount }) => sum + amount, 0n)
    const net = netOf(sides)
    if (absolute(net) === gross && money.backs(pool, token, net)) continue
    const accounts = byAccount(sides)
    for (const [account, swaps] of accounts) {
      swaps.own = money.takeOwn(account, token, swaps.net)
      swaps.rest = swaps.net < 0n ? swaps.net + swaps.own : swaps.net - swaps.own
    }
    const rest = [...accounts.values()].reduce((sum, swaps) => sum + swaps.rest, 0n)
    const shares = sharesOf(accounts, rest, money.take(pool, token, rest, net - rest))
    for (const [account, swaps] of accounts) noteShares(swaps.sides, swaps.own + shares.of(account), counted)
  }
}

/** Shares what counts of a net among the accounts on its side; sales that tokens made for themselves come last. */
function sharesOf(
  accounts: ReadonlyMap<Address | null, AccountSwaps>,
  net: bigint,
  counts: bigint,
): ReadonlyTotals<Address | null> {
  const weights = new Totals(
    [...accounts].map(([account, { rest }]) => [account, rest > 0n === net > 0n ? absolute(rest) : 0n] as const),
  )
  const ofTokens = weights.of(TOKENS)
  weights.delete(TOKENS)
  const ofTraders = [...weights.values()].reduce((sum, weight) => sum + weight, 0n)
  const first = counts < ofTraders ? counts : ofTraders
  const parts = splitFirst(first, [...weights.values()])
  const shares = new Totals([...weights.keys()].map((account, at) => [account, present(parts[at])] as const))
  if (ofTokens !== 0n) shares.set(TOKENS, counts - first)
  return shares
}

function byAccount(sides: readonly Side[]): Map<Address | null, AccountSwaps> {
  const accounts = new Map<Address | null, AccountSwaps>()
  for (const side of sides) {
    const swaps = accounts.get(side.account)
    if (swaps === undefined) accounts.set(side.account, { sides: [side], net: 0n, own: 0n, rest: 0n })
    else swaps.sides.push(side)
  }
  for (const swaps of accounts.values()) swaps.net = netOf(swaps.sides)
  return accounts
}

function noteShares(sides: readonly Side[], counts: bigint, counted: Map<Hop, CountedAmounts>): void {
  const shares = splitFirst(
    counts,
    sides.map(({ amount }) => amount),
  )
  sides.forEach(({ part, isIn, amount }, at) => {
    const share = present(shares[at])
    if (share === amount) return
    const known = counted.get(part) ?? { amountIn: part.amountIn, amountOut: part.amountOut }
    counted.set(part, isIn ? { ...known, amountIn: share } : { ...known, amountOut: share })
  })
}

/** Splits an amount in proportion to weights, rounded down; the first nonzero weight gets the remainder. */
function splitFirst(amount: bigint, weights: bigint[]): bigint[] {
  return splitAmount(amount, weights.reverse()).reverse()
}

/** Pools by their first hops: accounts' own money is used up in this order. */
function inOrder(pools: SidesByPool): Iterable<[Pool, Side[]]> {
  if (pools.size === 1) return pools
  const firstOf = (sides: readonly Side[]) => Math.min(...sides.map(({ part }) => part.logIndex))
  return [...pools].sort((a, b) => firstOf(a[1]) - firstOf(b[1]))
}

function netOf(sides: readonly Side[]): bigint {
  return sides.reduce((sum, { isIn, amount }) => (isIn ? sum + amount : sum - amount), 0n)
}

/** Returns a function that puts what counts on a trade's hops and parts. A stored hop counts what its parts do. */
function withCounted(trades: readonly Trade[], counted: ReadonlyMap<Hop, CountedAmounts>): (trade: Trade) => Trade {
  const whole = new Map([...counted.keys()].map(({ logIndex }) => [logIndex, { amountIn: 0n, amountOut: 0n }]))
  for (const part of trades.flatMap(partsOf)) {
    const sum = whole.get(part.logIndex)
    if (sum === undefined) continue
    const { amountIn, amountOut } = counted.get(part) ?? part
    sum.amountIn += amountIn
    sum.amountOut += amountOut
  }
  const ofPart = (part: Hop): Hop => {
    const amounts = counted.get(part)
    return amounts === undefined ? part : { ...part, counted: amounts }
  }
  const ofHop = (hop: Hop): Hop => {
    const amounts = whole.get(hop.logIndex)
    return amounts === undefined ? hop : { ...hop, counted: amounts }
  }
  return (trade) => ({
    ...trade,
    hops: trade.hops.map(ofHop),
    ...(trade.routes && { routes: trade.routes.map((route) => ({ ...route, hops: route.hops.map(ofPart) })) }),
  })
}
