import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { countingReads } from '../../../test/counting-reads.ts'
import { at, madeHop } from '../../../test/made-hop.ts'
import type { Address } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import { liquidityHops } from '../hops.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'

const V2 = { name: 'balancer-v2', kind: 'balancer-v2', factory: at('ba') } as const
const V3 = { name: 'balancer-v3', kind: 'balancer-v3', factory: at('bb') } as const
const pool = (rest: Pick<Pool, 'address' | 'dex'> & Partial<Pool>): Pool => ({
  token0: at('1'),
  token1: at('2'),
  fee: 0,
  tickSpacing: null,
  ...rest,
})
const sharesPool = (shares: Address) => pool({ address: `${V2.factory}${shares.slice(2)}${'00'.repeat(12)}`, dex: V2 })
const buffer = (wrapper: Address) =>
  pool({ address: `${V3.factory}${wrapper.slice(2)}`, dex: V3, coins: [wrapper], underlying: [at('1')] })

/** Implements `liquidityHops` by its definition: sums every token again in each round. */
function plainly(hops: readonly Hop[]): Hop[] {
  const isPassedOn = (token: Address, among: readonly Hop[]) => {
    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
    return isFeeBetweenHops(
      sum(among.filter(({ tokenOut }) => tokenOut === token).map(({ amountOut }) => amountOut)),
      sum(among.filter(({ tokenIn }) => tokenIn === token).map(({ amountIn }) => amountIn)),
    )
  }
  let rest = hops
  for (;;) {
    const among = rest
    const next = among.filter((hop) => {
      const shares = protocolOf(hop.pool.dex.kind).sharesOf?.(hop.pool)
      if (!shares || (shares.token !== hop.tokenIn && shares.token !== hop.tokenOut)) return true
      const tokens = shares.isWrapper ? [hop.tokenIn, hop.tokenOut] : [shares.token]
      return tokens.some((token) => isPassedOn(token, among))
    })
    if (next.length === rest.length) return hops.filter((hop) => !rest.includes(hop))
    rest = next
  }
}

const TOKENS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'].map(at)
/** Amounts that are equal, differ by a possible fee, or differ by more. */
const amount = fc.constantFrom(1n, 50n, 98n, 99n, 100n, 100n, 100n, 200n)
const transaction = fc
  .array(fc.tuple(fc.nat(6), fc.nat(5), amount, amount, fc.nat(3), fc.nat(6)), { minLength: 1, maxLength: 14 })
  .map((drawn) =>
    drawn.map(([from, step, amountIn, amountOut, kind, other], index) => {
      const [tokenIn, tokenOut] = [TOKENS[from] ?? at('c1'), TOKENS[(from + step + 1) % 7] ?? at('c2')]
      const pools = [sharesPool(tokenIn), sharesPool(tokenOut), buffer(tokenOut), sharesPool(TOKENS[other] ?? at('c3'))]
      return madeHop(index, [tokenIn, amountIn], [tokenOut, amountOut], { pool: pools[kind] ?? sharesPool(tokenIn) })
    }),
  )

test('the hops taken out are those of the rule as it is stated, round by round', () => {
  fc.assert(
    fc.property(transaction, (hops) => {
      const liquidity = liquidityHops(hops)
      expect(hops.filter((hop) => liquidity.has(hop))).toEqual(plainly(hops))
    }),
    { numRuns: 600 * inject('scale') },
  )
})

/** Each deposit goes into a pool whose shares go into the next one, so each round removes only the last hop left. */
const nested = (count: number): Hop[] =>
  Array.from({ length: count }, (_, i) => {
    const shares = at(`d${i + 1}`)
    return madeHop(i, [at(`d${i}`), 100n], [shares, 100n], { pool: sharesPool(shares) })
  })

test('twice as many nested pools are about twice the work', () => {
  const readsFor = (count: number) => {
    const { counted, reads } = countingReads(nested(count))
    expect(liquidityHops(counted).size).toBe(count)
    return reads()
  }
  expect(readsFor(200) / readsFor(100)).toBeLessThan(2.5)
})
