import type { Address } from '@dexfeed/dex'
import type { DevnetPool } from '../deployment/contracts.ts'
import type { Random } from '../random.ts'

export interface RouteStep {
  pool: DevnetPool
  tokenIn: Address
  tokenOut: Address
}

export interface RouteBook {
  /** Returns a random route of at most `hops` pools that visits no token twice. */
  random(hops: number, random: Random): RouteStep[]
  parallel(random: Random): RouteStep[]
  cycle(random: Random): RouteStep[]
}

export function createRouteBook(pools: readonly DevnetPool[], taxed: ReadonlySet<Address>): RouteBook {
  const byToken = new Map<Address, DevnetPool[]>()
  const byPair = new Map<string, DevnetPool[]>()
  for (const pool of pools) {
    for (const token of [pool.token0, pool.token1]) byToken.set(token, [...(byToken.get(token) ?? []), pool])
    const pair = `${pool.token0}${pool.token1}`
    byPair.set(pair, [...(byPair.get(pair) ?? []), pool])
  }
  const untaxed = ({ token0, token1 }: DevnetPool) => !taxed.has(token0) && !taxed.has(token1)
  const deepPairs = [...byPair.values()].filter((pair) => pair.length > 1 && pair.every(untaxed))

  const shuffledPair = (random: Random) => {
    const pair = [...random.pick(deepPairs)]
    if (random.next() < 0.5) pair.reverse()
    const [tokenIn, tokenOut] = direction(random.pick(pair), random)
    return pair.map((pool): RouteStep => ({ pool, tokenIn, tokenOut }))
  }

  return {
    random(hops, random) {
      const first = random.pick(pools)
      const [tokenIn, tokenOut] = direction(first, random)
      const route: RouteStep[] = [{ pool: first, tokenIn, tokenOut }]
      const visited = new Set([tokenIn, tokenOut])
      while (route.length < hops) {
        const at = route.at(-1)?.tokenOut ?? tokenOut
        const onward = (byToken.get(at) ?? []).filter((pool) => !visited.has(other(pool, at)))
        if (onward.length === 0) break
        const pool = random.pick(onward)
        route.push({ pool, tokenIn: at, tokenOut: other(pool, at) })
        visited.add(other(pool, at))
      }
      return route
    },
    parallel: (random) => shuffledPair(random).slice(0, 3),
    cycle(random) {
      const [out, back] = shuffledPair(random)
      if (!out || !back) throw new Error('a pair of one pool has no cycle')
      return [out, { pool: back.pool, tokenIn: back.tokenOut, tokenOut: back.tokenIn }]
    },
  }
}

function direction({ token0, token1 }: DevnetPool, random: Random): [Address, Address] {
  return random.next() < 0.5 ? [token0, token1] : [token1, token0]
}

function other(pool: DevnetPool, token: Address): Address {
  return pool.token0 === token ? pool.token1 : pool.token0
}
