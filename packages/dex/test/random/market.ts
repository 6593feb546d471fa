import fc from 'fast-check'
import type { Address } from '../../src/chain/hex.ts'
import type { Pool } from '../../src/pool.ts'
import type { MarketSeed } from '../../src/quote/market.ts'
import { pairAmountOut } from '../../src/quote/pool-maths/pool-side.ts'
import { SwapLadder } from '../../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../../src/quote/pool-maths/tick-list.ts'
import { anyMagnitude, concentratedPool } from './pool.ts'

const V2 = { name: 'uniswap-v2', kind: 'uniswap-v2', factory: '0x02' } as const
const V3 = { name: 'uniswap-v3', kind: 'uniswap-v3', factory: '0x03' } as const

export function tokenAddress(index: number): Address {
  return `0xa${index.toString(16).padStart(39, '0')}`
}

export function poolAddress(index: number): Address {
  return `0xb${index.toString(16).padStart(39, '0')}`
}

export function pairSeed(index: number, tokens: readonly [number, number], reserves: readonly [bigint, bigint]) {
  const [token0, token1] = tokens
  const pool: Pool = {
    address: poolAddress(index),
    dex: V2,
    token0: tokenAddress(token0),
    token1: tokenAddress(token1),
    fee: 3000,
    tickSpacing: null,
  }
  return { pool, state: { kind: 'pair', reserve0: reserves[0], reserve1: reserves[1] } } satisfies MarketSeed
}

/** Some tokens and pools of both families between them: parallel ones, empty ones, shallow ones, some without state. */
export function randomMarket(tokens: number, maxPools: number): fc.Arbitrary<MarketSeed[]> {
  const ends = fc
    .tuple(fc.nat({ max: tokens - 1 }), fc.nat({ max: tokens - 1 }))
    .filter(([a, b]) => a !== b)
    .map(([a, b]): [number, number] => (a < b ? [a, b] : [b, a]))
  const reserve = fc.oneof(
    { weight: 1, arbitrary: fc.constant(0n) },
    { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: 40n }) },
    { weight: 12, arbitrary: anyMagnitude(80) },
  )
  const pair = fc.record({ ends, reserve0: reserve, reserve1: reserve, known: fc.nat({ max: 9 }) })
  const concentrated = fc.record({ ends, drawn: concentratedPool(60) })
  const seed = fc.oneof(
    { weight: 3, arbitrary: pair.map((drawn) => ({ pair: drawn, concentrated: null })) },
    { weight: 2, arbitrary: concentrated.map((drawn) => ({ pair: null, concentrated: drawn })) },
  )
  return fc.array(seed, { minLength: 1, maxLength: maxPools }).map((drawn) =>
    drawn.map(({ pair, concentrated }, index): MarketSeed => {
      if (pair !== null) {
        const seed = pairSeed(index, pair.ends, [pair.reserve0, pair.reserve1])
        return pair.known === 0 ? { ...seed, state: null } : seed
      }
      const { ends, drawn } = concentrated
      const pool: Pool = {
        address: poolAddress(index),
        dex: V3,
        token0: tokenAddress(ends[0]),
        token1: tokenAddress(ends[1]),
        fee: Number(drawn.fee),
        tickSpacing: drawn.spacing,
      }
      return { pool, state: drawn.state, ticks: drawn.ticks }
    }),
  )
}

/** The quote of one pool, without market or graph. */
export function quoteSeed(seed: MarketSeed, sell: Address, amountIn: bigint): bigint | null {
  const { pool, state } = seed
  const zeroForOne = pool.token0 === sell
  const fee = BigInt(pool.fee)
  if (state === null) return null
  if (state.kind === 'pair') {
    return zeroForOne
      ? pairAmountOut(amountIn, state.reserve0, state.reserve1, fee)
      : pairAmountOut(amountIn, state.reserve1, state.reserve0, fee)
  }
  return new SwapLadder(state, new TickList(pool.tickSpacing ?? 1, seed.ticks), fee, zeroForOne).quote(amountIn)
}

/** Every simple path of pools from `sell` to `buy` with at most `maxHops` pools, through passable tokens. */
export function simplePaths(
  seeds: readonly MarketSeed[],
  sell: Address,
  buy: Address,
  maxHops: number,
  passable: ReadonlySet<Address> | null = null,
): MarketSeed[][] {
  const paths: MarketSeed[][] = []
  const walk = (token: Address, seen: readonly Address[], path: readonly MarketSeed[]) => {
    for (const seed of seeds) {
      const { token0, token1 } = seed.pool
      if (token0 !== token && token1 !== token) continue
      const next = token0 === token ? token1 : token0
      if (seen.includes(next)) continue
      if (next === buy) paths.push([...path, seed])
      else if (path.length + 1 < maxHops && (passable?.has(next) ?? true)) walk(next, [...seen, next], [...path, seed])
    }
  }
  walk(sell, [sell], [])
  return paths
}
