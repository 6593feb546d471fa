import fc from 'fast-check'
import type { Address } from '../../src/chain.ts'
import type { PoolFormula } from '../../src/maths/formula.ts'
import type { Pool } from '../../src/pool.ts'
import type { ConcentratedState } from '../../src/pool-state.ts'
import type { MarketSeed } from '../../src/quote/market.ts'
import { pairAmountOut } from '../../src/quote/pool-maths/pool-side.ts'
import { SwapLadder } from '../../src/quote/pool-maths/swap-ladder.ts'
import { TickList } from '../../src/quote/pool-maths/tick-list.ts'
import { formulaKind } from '../../src/venues/registry.ts'
import { madePool } from '../made-hop.ts'
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
  const pool: Pool = madePool(poolAddress(index), [tokenAddress(token0), tokenAddress(token1)], { dex: V2 })
  return { pool, state: { kind: 'pair', reserve0: reserves[0], reserve1: reserves[1] } } satisfies MarketSeed
}

/** From token 0 to token 1, the path over token 2 pays twice as much as the direct pool. */
export const TWO_PATHS: readonly MarketSeed[] = [
  pairSeed(1, [0, 1], [10n ** 24n, 10n ** 24n]),
  pairSeed(2, [0, 2], [10n ** 24n, 10n ** 24n]),
  pairSeed(3, [1, 2], [2n * 10n ** 24n, 10n ** 24n]),
]

/** Draws pools of both families between some tokens: parallel, empty and shallow ones, some without state. */
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

const ladders = new WeakMap<MarketSeed, Map<boolean, SwapLadder>>()

function ladderOf(seed: MarketSeed, state: ConcentratedState, zeroForOne: boolean): SwapLadder {
  const known = ladders.get(seed) ?? new Map<boolean, SwapLadder>()
  ladders.set(seed, known)
  const { fee, tickSpacing } = seed.pool
  const make = () => new SwapLadder(state, new TickList(tickSpacing ?? 1, seed.ticks), BigInt(fee), zeroForOne)
  const ladder = known.get(zeroForOne) ?? make()
  known.set(zeroForOne, ladder)
  return ladder
}

export function quoteSeed(seed: MarketSeed, sell: Address, amountIn: bigint): bigint | null {
  const { pool, state } = seed
  const zeroForOne = pool.token0 === sell
  const fee = BigInt(pool.fee)
  if (state === null) return null
  if (state.kind === 'formula') {
    const { coins = [] } = pool
    const [from, to] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
    return mathsOf(seed)?.amountOut(coins.indexOf(from), coins.indexOf(to), amountIn) ?? null
  }
  if (state.kind === 'pair') {
    return zeroForOne
      ? pairAmountOut(amountIn, state.reserve0, state.reserve1, fee)
      : pairAmountOut(amountIn, state.reserve1, state.reserve0, fee)
  }
  return ladderOf(seed, state, zeroForOne).quote(amountIn)
}

const maths = new WeakMap<object, PoolFormula | null>()

function mathsOf({ state }: MarketSeed): PoolFormula | null {
  if (state?.kind !== 'formula' || state.values === null) return null
  let known = maths.get(state)
  if (known === undefined) {
    known = formulaKind(state.formula)?.of(state.values) ?? null
    maths.set(state, known)
  }
  return known
}

/** Returns whether a swap in one of the pools changes what the other pays. */
export function areMoved(marketSeed: MarketSeed, other: MarketSeed): boolean {
  const [a, b] = [marketSeed.pool.address, other.pool.address]
  return a === b || mathsOf(marketSeed)?.basis === b || mathsOf(other)?.basis === a
}

/** Turns a pool of several coins into one pool for each pair of them. */
function pairsOfCoins(seed: MarketSeed): MarketSeed[] {
  const { coins } = seed.pool
  if (coins === undefined) return [seed]
  return coins.flatMap((token0, at) =>
    coins.slice(at + 1).map((token1) => ({ ...seed, pool: { ...seed.pool, token0, token1 } })),
  )
}

/** Returns every simple path from `sell` to `buy` with at most `maxHops` pools, through passable tokens. */
export function simplePaths(
  seeds: readonly MarketSeed[],
  sell: Address,
  buy: Address,
  maxHops: number,
  passable: ReadonlySet<Address> | null = null,
): MarketSeed[][] {
  const paths: MarketSeed[][] = []
  const pairs = seeds.flatMap(pairsOfCoins)
  const walk = (token: Address, seen: readonly Address[], path: readonly MarketSeed[]) => {
    for (const seed of pairs) {
      const { token0, token1 } = seed.pool
      if (path.some((before) => areMoved(before, seed))) continue
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
