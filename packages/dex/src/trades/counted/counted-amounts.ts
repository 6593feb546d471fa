import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import { absolute, smaller } from '../../maths/integers.ts'
import type { Pool } from '../../pool.ts'
import { present } from '../../present.ts'
import { Groups, Totals } from '../../totals.ts'
import { splitAmount } from '../accounts/share-hops.ts'
import type { CountedAmounts, Hop, Trade } from '../trade.ts'
import { type CountFacts, TransactionMoney } from './transaction-money.ts'

/** Stands for the account of tokens' own sales, which are not netted with the trader's swaps. */
const TOKENS = ZERO_ADDRESS

interface Side {
  part: Hop
  isIn: boolean
  amount: bigint
  account: Address | null
}

/** How much of a token an account swapped with a pool. Amounts that entered the pool are positive. */
interface AccountSwaps {
  account: Address | null
  sides: readonly Side[]
  /** The part of the net that the account's own transfers cover; never negative. */
  covered: bigint
  rest: bigint
}

/** Sets `Hop.counted` for tokens with a price (docs/internals/usd.md, "Money that goes round"). */
export function withCountedAmounts(trades: Trade[], facts: CountFacts): Trade[] {
  const sides = sidesByToken(trades, facts.anchors)
  if (sides.size === 0) return trades
  const money = new TransactionMoney(facts)
  const counted = new Map<Hop, CountedAmounts>()
  for (const [token, pools] of sides) countToken(token, pools, money, counted)
  return counted.size === 0 ? trades : withCounted(trades, counted)
}

function partsOf({ routes, hops }: Trade): readonly Hop[] {
  return routes === undefined ? hops : routes.flatMap((route) => route.hops)
}

type SidesByPool = Groups<Pool, Side>

function sidesByToken(trades: readonly Trade[], anchors: ReadonlySet<Address>): Map<Address, SidesByPool> {
  const tokens = new Map<Address, SidesByPool>()
  const note = (token: Address, side: Side) => {
    if (!anchors.has(token) || side.amount === 0n) return
    const pools = tokens.get(token) ?? new Groups<Pool, Side>()
    tokens.set(token, pools)
    pools.add(side.part.pool, side)
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
    const ofAccounts = new Groups<Address | null, Side>()
    for (const side of sides) ofAccounts.add(side.account, side)
    const accounts = [...ofAccounts].map(([account, ofAccount]): AccountSwaps => {
      const accountNet = netOf(ofAccount)
      const covered = money.takeOwn(account, token, accountNet)
      return { account, sides: ofAccount, covered, rest: accountNet < 0n ? accountNet + covered : accountNet - covered }
    })
    const rest = accounts.reduce((sum, swaps) => sum + swaps.rest, 0n)
    const shares = sharesOf(accounts, rest, money.take(pool, token, rest, net - rest))
    for (const swaps of accounts) noteShares(swaps.sides, swaps.covered + shares.of(swaps.account), counted)
  }
}

function sharesOf(accounts: readonly AccountSwaps[], net: bigint, counts: bigint): Totals<Address | null> {
  const weightOf = ({ rest }: AccountSwaps) => (rest > 0n === net > 0n ? absolute(rest) : 0n)
  const traders = accounts.filter(({ account }) => account !== TOKENS)
  const weights = traders.map(weightOf)
  const ofTraders = smaller(
    counts,
    weights.reduce((sum, weight) => sum + weight, 0n),
  )
  const parts = splitFirst(ofTraders, weights)
  const shares = new Totals(traders.map(({ account }, index) => [account, present(parts[index])] as const))
  const tokens = accounts.find(({ account }) => account === TOKENS)
  if (tokens !== undefined && weightOf(tokens) !== 0n) shares.set(TOKENS, counts - ofTraders)
  return shares
}

function noteShares(sides: readonly Side[], counts: bigint, counted: Map<Hop, CountedAmounts>): void {
  const amounts = sides.map(({ amount }) => amount)
  const shares = splitFirst(counts, amounts)
  sides.forEach(({ part, isIn, amount }, index) => {
    const share = present(shares[index])
    if (share === amount) return
    const { amountIn, amountOut } = counted.get(part) ?? part
    counted.set(part, isIn ? { amountIn: share, amountOut } : { amountIn, amountOut: share })
  })
}

function splitFirst(amount: bigint, weights: readonly bigint[]): bigint[] {
  return splitAmount(amount, weights.toReversed()).reverse()
}

/** Orders pools by first hop, because accounts' own money is used up in this order. */
function inOrder(pools: SidesByPool): Iterable<[Pool, Side[]]> {
  if (pools.size === 1) return pools
  const firstOf = (sides: readonly Side[]) => Math.min(...sides.map(({ part }) => part.logIndex))
  return [...pools].sort((a, b) => firstOf(a[1]) - firstOf(b[1]))
}

function netOf(sides: readonly Side[]): bigint {
  return sides.reduce((sum, { isIn, amount }) => (isIn ? sum + amount : sum - amount), 0n)
}

function withCounted(trades: readonly Trade[], counted: ReadonlyMap<Hop, CountedAmounts>): Trade[] {
  const ofHops = new Map([...counted.keys()].map(({ logIndex }) => [logIndex, { amountIn: 0n, amountOut: 0n }]))
  for (const part of trades.flatMap(partsOf)) {
    const sum = ofHops.get(part.logIndex)
    if (sum === undefined) continue
    const { amountIn, amountOut } = counted.get(part) ?? part
    sum.amountIn += amountIn
    sum.amountOut += amountOut
  }
  const withAmounts = (hop: Hop, amounts: CountedAmounts | undefined): Hop =>
    amounts === undefined ? hop : { ...hop, counted: amounts }
  return trades.map((trade) => ({
    ...trade,
    hops: trade.hops.map((hop) => withAmounts(hop, ofHops.get(hop.logIndex))),
    ...(trade.routes && {
      routes: trade.routes.map((route) => ({
        ...route,
        hops: route.hops.map((part) => withAmounts(part, counted.get(part))),
      })),
    }),
  }))
}
