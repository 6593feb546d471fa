import type { Address } from '@dexfeed/dex'
import { edgeTick, sqrt } from '@dexfeed/fake-node/pool-math'
import { mix } from './mix.ts'
import type { MadePool, MadeTick, MadeToken, PoolKind } from './pool.ts'

export interface PoolPlan {
  rank: number
  address: Address
  kind: PoolKind
  factory: Address
  tokens: readonly [MadeToken, MadeToken]
  /** The random number that decides the rest. */
  drawn: number
  /** Initialised ticks, on average. */
  ticks: number
}

/** Millionths and tick spacing of each fee tier, and how many of ten pools have it. */
const TIERS = {
  'uniswap-v3': [
    [100, 1, 1],
    [500, 10, 2],
    [3_000, 60, 4],
    [10_000, 200, 3],
  ],
  'pancakeswap-v3': [
    [100, 1, 1],
    [500, 10, 2],
    [2_500, 50, 4],
    [10_000, 200, 3],
  ],
} as const
/** Value of either side of the deepest pool and of the shallowest, in dollars. */
const [DEEPEST, SHALLOWEST] = [20_000_000, 4_000]
/** Factor between the widths of a position and the one within it. */
const WIDER = 1.7
const PAIR_REACH = 60

/** Returns the pool of a plan. The more a pool is traded, the deeper it is. */
export function makePool(plan: PoolPlan): MadePool {
  const [a, b] = plan.tokens
  const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
  const side = Math.max(SHALLOWEST, DEEPEST / (plan.rank + 1) ** 0.7)
  const reserves = [unitsOf(token0, side), unitsOf(token1, side)] as const
  const { rank, address, kind, factory } = plan
  const base = { rank, address, kind, factory, token0, token1, reserves }
  if (kind === 'uniswap-v2') {
    return { ...base, fee: 2_500, tickSpacing: 0, centre: 0, reach: PAIR_REACH, ticks: new Map() }
  }
  const [fee, tickSpacing] = tierOf(kind, plan.drawn)
  const centre = Math.floor(Math.log(Number(reserves[1]) / Number(reserves[0])) / Math.log(1.0001))
  const ticks = ticksOf(plan, centre, tickSpacing, sqrt(reserves[0] * reserves[1]))
  return { ...base, fee, tickSpacing, centre, reach: Math.max(6, Math.min(300, Math.ceil(tickSpacing * 1.2))), ticks }
}

function tierOf(kind: Exclude<PoolKind, 'uniswap-v2'>, drawn: number): readonly [fee: number, tickSpacing: number] {
  let left = drawn % 10
  for (const [fee, spacing, share] of TIERS[kind]) {
    if (left < share) return [fee, spacing]
    left -= share
  }
  return TIERS[kind][2].slice(0, 2) as [number, number]
}

/** Returns the ticks of positions around the centre, each wider than the last, and of one over the whole range. */
function ticksOf({ drawn, ticks: mean }: PoolPlan, centre: number, spacing: number, liquidity: bigint) {
  const ticks = new Map<number, MadeTick>()
  const edge = edgeTick(spacing)
  const count = 1 + (mix(drawn, 3) % Math.max(1, mean - 1))
  const share = liquidity / BigInt(count) + 1n
  const note = (tick: number, change: bigint) => {
    const { gross = 0n, net = 0n } = ticks.get(tick) ?? {}
    ticks.set(tick, { gross: gross + share, net: net + change })
  }
  const middle = Math.floor(centre / spacing)
  for (let i = 0; i < count; i++) {
    const half = Math.ceil(WIDER ** i)
    const lower = i === 0 ? -edge : Math.max(-edge, (middle - half) * spacing)
    const upper = i === 0 ? edge : Math.min(edge, (middle + 1 + half) * spacing)
    note(lower, share)
    note(upper, -share)
  }
  return ticks
}

/** Returns the base units of a value in dollars. */
function unitsOf({ decimals, usd }: MadeToken, dollars: number): bigint {
  return BigInt(Math.round((dollars / usd) * 1e6)) * 10n ** BigInt(decimals - 6)
}
