import type { Address, MarketSeed } from '@dexfeed/dex'

const E18 = 10n ** 18n
/** Tokens that most pools lead to, as on real networks. */
const HUBS = 12
/** One pool in this many is between hubs. */
const HUB_POOLS = 50
/** One pool in this many is quoted by a formula. */
const FORMULA_POOLS = 20
const TICK_SPACING = 60
const FEES = [500, 3_000, 10_000]

/** Returns a whole number below a bound. */
type Next = (below: number) => number

/**
 * Returns a market of pools between tokens. Three pools in four lead to one of twelve hubs. Two in five have
 * concentrated liquidity, with twenty ticks. One in twenty is a stable pool of two or three coins. All prices are
 * within half a percent of 1, so most routes compete.
 */
export function* madeMarket(tokens: number, pools: number, next: Next): Generator<MarketSeed> {
  for (let at = 0; at < pools; at++) {
    const a = at % HUB_POOLS === 0 ? next(HUBS) : at < tokens ? at : next(tokens)
    const b = at % 4 < 3 ? next(HUBS) : next(tokens)
    if (a === b) continue
    const address: Address = `0x${(at + 2 ** 32).toString(16).padStart(40, '0')}`
    const [token0, token1] = [madeToken(Math.min(a, b)), madeToken(Math.max(a, b))]
    const pool = { address, token0, token1, fee: FEES[next(FEES.length)] ?? 3_000 }
    if (at % FORMULA_POOLS === 0) yield stable(pool, madeToken(next(HUBS)), next)
    else yield at % 5 < 3 ? pair(pool, next) : concentrated(pool, next)
  }
}

export function madeToken(number: number): Address {
  return `0x${(number + 1).toString(16).padStart(40, '0')}`
}

/** Returns always the same numbers (Park and Miller). */
export function madeNumbers(seed: number): Next {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

type MadePool = Omit<MarketSeed['pool'], 'tickSpacing'>

function depth(next: Next): bigint {
  return E18 * BigInt(1_000 + next(1_000_000))
}

function pair(pool: MadePool, next: Next): MarketSeed {
  const reserve0 = depth(next)
  const reserve1 = (reserve0 * BigInt(9_950 + next(100))) / 10_000n
  return { pool: { ...pool, tickSpacing: null }, state: { kind: 'pair', reserve0, reserve1 } }
}

function concentrated(pool: MadePool, next: Next): MarketSeed {
  const share = depth(next) / 10n
  const ticks = Array.from({ length: 10 }, (_, step) => TICK_SPACING * (step + 1)).flatMap((tick) => [
    { tick: -tick, gross: share, net: share },
    { tick, gross: share, net: -share },
  ])
  const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n * share } as const
  return { pool: { ...pool, tickSpacing: TICK_SPACING }, state, ticks }
}

/** A StableSwap pool of two tokens, or three with a hub: A 200, a fee of 0.04 %. */
function stable(pool: MadePool, hub: Address, next: Next): MarketSeed {
  const coins = [...new Set([pool.token0, pool.token1, hub])]
  const balances = coins.map(() => depth(next))
  const values = [
    BigInt(coins.length),
    20_000n,
    100n,
    0n,
    1n,
    0n,
    4_000_000n,
    0n,
    0n,
    ...balances,
    ...coins.map(() => E18),
  ]
  return {
    pool: { ...pool, fee: 0, tickSpacing: null, coins },
    state: { kind: 'formula', formula: 'curve-stable', values, freshUntil: null },
  }
}
