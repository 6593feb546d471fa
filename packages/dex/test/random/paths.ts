import type { Address } from '../../src/chain.ts'
import type { MarketSeed } from '../../src/quote/market.ts'
import { areMoved, quoteSeed, simplePaths, tokenAddress } from './market.ts'

export type Path = readonly MarketSeed[]

/** Returns what a path pays, pool by pool, or null if a pool does not accept what reaches it. */
export function amountAlong(path: Path, sell: Address, amountIn: bigint): bigint | null {
  let token = sell
  let amount: bigint | null = amountIn
  for (const seed of path) {
    if (amount === null) return null
    if (amount > 0n) amount = quoteSeed(seed, token, amount)
    token = seed.pool.token0 === token ? seed.pool.token1 : seed.pool.token0
  }
  return amount
}

/**
 * Returns the least input of a path by bisection alone. A path accepts all inputs up to a maximum, and pays more for
 * larger ones.
 */
function minInputAlong(path: Path, sell: Address, amountOut: bigint): bigint | null {
  let [low, high] = [0n, 2n ** 260n]
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    const out = amountAlong(path, sell, middle)
    if (out === null || out >= amountOut) high = middle
    else low = middle
  }
  return (amountAlong(path, sell, high) ?? 0n) >= amountOut ? high : null
}

/** Returns all sets of up to `maxPaths` paths without common pools. */
export function* disjointSets(paths: readonly Path[], maxPaths: number, from = 0): Generator<readonly Path[]> {
  for (let at = from; at < paths.length; at++) {
    const path = paths[at] ?? []
    yield [path]
    if (maxPaths === 1) continue
    for (const rest of disjointSets(paths, maxPaths - 1, at + 1)) {
      if (rest.every((other) => !other.some((seed) => path.some((own) => areMoved(own, seed))))) yield [path, ...rest]
    }
  }
}

/** Returns the best of all paths from token 0 to token 1. Computes each to its end; ties go to fewer hops. */
export function bestOfAllPaths(
  seeds: readonly MarketSeed[],
  amountIn: bigint,
  maxHops: 1 | 2 | 3,
  passable: ReadonlySet<Address> | null,
): { amountOut: bigint; hops: number } | null {
  let best: { amountOut: bigint; hops: number } | null = null
  for (const path of simplePaths(seeds, tokenAddress(0), tokenAddress(1), maxHops, passable)) {
    const amountOut = amountAlong(path, tokenAddress(0), amountIn)
    if (amountOut === null || amountOut === 0n) continue
    const isBetter =
      best === null || amountOut > best.amountOut || (amountOut === best.amountOut && path.length < best.hops)
    if (isBetter) best = { amountOut, hops: path.length }
  }
  return best
}

/** Returns the least input of all paths from token 0 to token 1. Computes each separately; ties go to fewer hops. */
export function leastOfAllPaths(
  seeds: readonly MarketSeed[],
  amountOut: bigint,
  maxHops: 1 | 2 | 3,
  passable: ReadonlySet<Address> | null,
): { amountIn: bigint; hops: number } | null {
  let best: { amountIn: bigint; hops: number } | null = null
  for (const path of simplePaths(seeds, tokenAddress(0), tokenAddress(1), maxHops, passable)) {
    const amountIn = minInputAlong(path, tokenAddress(0), amountOut)
    if (amountIn === null) continue
    const isBetter =
      best === null || amountIn < best.amountIn || (amountIn === best.amountIn && path.length < best.hops)
    if (isBetter) best = { amountIn, hops: path.length }
  }
  return best
}
