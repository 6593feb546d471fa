import type { Address, NetworkName } from '@dexfeed/dex'
import type { NetworkShape } from '../../presets.ts'
import { makePool, type PoolPlan } from './make-pool.ts'
import { mix, mixedHex } from './mix.ts'
import { makeAnchors, POOL_KINDS, PoolPlanner } from './plan-pools.ts'
import type { MadePool, MadeToken, PoolKind } from './pool.ts'

/** The contracts and accounts of a made network. */
export interface Market {
  seed: number
  wrappedNative: MadeToken
  stablecoins: readonly MadeToken[]
  /** By rank: the most traded first. */
  pools: readonly MadePool[]
  /** Those of them that a configured factory confirms. */
  confirmed: readonly MadePool[]
  /** Returns a pool that is created later, by its index. */
  laterPool(index: number): MadePool
  /** Those that the deployment configures. */
  factories: Readonly<Record<PoolKind, Address>>
  routers: readonly Address[]
}

const ROUTERS = 12
/** Later pools have ranks above all others. */
const LATER = 3_000_000

/**
 * Makes a market. The first pools are those of the anchors, one of each kind for each two; then those of other tokens.
 */
export function makeMarket(network: NetworkName, given: number, shape: NetworkShape): Market {
  const seed = mix(given, network.length, network.charCodeAt(0))
  const anchors = makeAnchors(seed, shape.stableDecimals)
  const planner = new PoolPlanner(seed, anchors, shape)
  const { wrappedNative, tether, circle } = anchors
  const taken = new Set<string>()
  const pools: MadePool[] = []
  const addPool = (plan: PoolPlan): boolean => {
    const pool = makePool(plan)
    const key = keyOf(pool)
    if (taken.has(key)) return false
    taken.add(key)
    pools.push(pool)
    return true
  }
  const pairs = [
    [wrappedNative, tether],
    [wrappedNative, circle],
    [tether, circle],
  ] as const
  for (const pair of pairs) for (const kind of POOL_KINDS) addPool(planner.planAnchors(pools.length, kind, pair))
  while (pools.length < shape.pools) {
    // If a factory already has such a pool, the next token gets one.
    for (let token = pools.length; !addPool(planner.plan(pools.length, token)); ) token++
  }
  const configured = new Set<string>(Object.values(planner.factories))
  return {
    seed,
    wrappedNative,
    stablecoins: [tether, circle],
    pools,
    confirmed: pools.filter(({ factory }) => configured.has(factory)),
    laterPool: (index) => makePool(planner.planLater(LATER + index)),
    factories: planner.factories,
    routers: Array.from({ length: ROUTERS }, (_, i) => mixedHex(5, seed, 5, i)),
  }
}

/** Returns the index of a later pool; null: the pool exists from the beginning. */
export function laterIndexOf({ rank }: MadePool): number | null {
  return rank < LATER ? null : rank - LATER
}

/** Returns the key by which a factory finds a pool: its tokens, and its fee unless it is a pair. */
export function keyOf({ factory, token0, token1, kind, fee }: MadePool): string {
  return lookupKey(factory, token0.address, token1.address, kind === 'uniswap-v2' ? 0 : fee)
}

/** @param fee millionths; 0 for a pair */
export function lookupKey(factory: Address, a: Address, b: Address, fee: number): string {
  return a < b ? `${factory} ${a} ${b} ${fee}` : `${factory} ${b} ${a} ${fee}`
}
