import { createRandom, type Random } from '@dexfeed/devnet'
import { type Address, bestRoute, createMarket, type MarketSeed, quoteAmount } from '@dexfeed/dex'
import { type BenchResult, rounded } from '../bench-result.ts'
import { quantilesOf } from '../load.ts'

/** The size that public routing benchmarks use: three hops, 10,000 edges, one core. */
const PUBLIC_FORM = { tokens: 2_400, pools: 10_000 }
const REQUESTS = 5_000
const WARM_UP = 500
const E18 = 10n ** 18n
const AMOUNT = 20n * E18
const SINGLE_RUNS = 20_000
/** One pool in `HUB_POOLS` has a hub as its first token. */
const [HUBS, HUB_POOLS] = [12, 50]
const FORMULA_POOLS = 20
const TICK_SPACING = 60
const FEES = [500, 3_000, 10_000]

export function measureInProcess(pools: number): BenchResult {
  const size = { tokens: Math.ceil((pools * 2) / 3), pools }
  const publicForm = timeRoutes(PUBLIC_FORM, 1)
  const routes = timeRoutes(size, 1)
  const split = timeRoutes(size, 4)
  const text = ({ perS, found, p99Ms }: typeof routes) =>
    `${perS.toFixed(0)} per second, ${(100 * found).toFixed(0)} % found; 99 % ${p99Ms.toFixed(2)} ms`
  return {
    figures: {
      single_us: rounded(poolUs(E18 / 100n), 1),
      cross_tick_us: rounded(poolUs(E18 / 2n), 1),
      three_hop_per_s: Math.round(publicForm.perS),
      in_process_p99_ms: rounded(routes.p99Ms, 2),
      split_p99_ms: rounded(split.p99Ms, 2),
    },
    notes: [
      ['three hops, 2,400 tokens, 10,000 edges', text(publicForm)],
      [`three hops, ${pools} pools`, text(routes)],
      ['  in up to four parts', text(split)],
    ],
  }
}

function timeRoutes({ tokens, pools }: { tokens: number; pools: number }, maxSplits: 1 | 4) {
  const { integer: next } = createRandom(1)
  const market = createMarket(madeMarket(tokens, pools, next))
  const times: number[] = []
  let found = 0
  for (let i = -WARM_UP; i < REQUESTS; i++) {
    const sell = next(tokens)
    const buy = (sell + 1 + next(tokens - 1)) % tokens
    const query = {
      amount: AMOUNT,
      side: 'in',
      maxHops: 3,
      maxSplits,
      sell: madeToken(sell),
      buy: madeToken(buy),
    } as const
    const started = performance.now()
    const isFound = quoteAmount(market, query) !== null
    if (i < 0) continue
    times.push(performance.now() - started)
    if (isFound) found++
  }
  const totalMs = times.reduce((sum, ms) => sum + ms, 0)
  return { perS: (1_000 * times.length) / totalMs, found: found / times.length, ...quantilesOf(times) }
}

function poolUs(amount: bigint): number {
  const [sell, buy] = [madeToken(0), madeToken(1)]
  const pool = { address: madeToken(8), token0: sell, token1: buy, fee: 3_000, tickSpacing: TICK_SPACING }
  const market = createMarket()
  market.upsertPool(pool)
  const steps = Array.from({ length: 19 }, (_, i) => i + 1)
  market.setTicks(pool.address, [{ tick: -20 * TICK_SPACING, gross: E18, net: E18 }, ...ticksOf(steps, E18)])
  let microseconds = 0
  for (let run = -SINGLE_RUNS; run < SINGLE_RUNS; run++) {
    const liquidity = 20n * E18 + BigInt(run + SINGLE_RUNS)
    market.setState(pool.address, { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity })
    const started = performance.now()
    if (bestRoute(market, { sell, buy, amountIn: amount }) === null)
      throw new Error('no route: the pool must accept the amount')
    if (run >= 0) microseconds += 1_000 * (performance.now() - started)
  }
  return microseconds / SINGLE_RUNS
}

function ticksOf(steps: readonly number[], share: bigint) {
  return steps.flatMap((step) => [
    { tick: -TICK_SPACING * step, gross: share, net: share },
    { tick: TICK_SPACING * step, gross: share, net: -share },
  ])
}

/** Three pools in four lead to a hub. Prices are within half a percent of 1, so most routes compete. */
function* madeMarket(tokens: number, pools: number, next: Random['integer']): Generator<MarketSeed> {
  for (let i = 0; i < pools; i++) {
    const a = i % HUB_POOLS === 0 ? next(HUBS) : i < tokens ? i : next(tokens)
    const b = i % 4 < 3 ? next(HUBS) : next(tokens)
    if (a === b) continue
    const [token0, token1] = [madeToken(Math.min(a, b)), madeToken(Math.max(a, b))]
    const pool = { address: madeToken(2 ** 32 + i), token0, token1, fee: FEES[next(FEES.length)] ?? 3_000 }
    const depth = E18 * BigInt(1_000 + next(1_000_000))
    if (i % FORMULA_POOLS === 0) yield stable(pool, madeToken(next(HUBS)), depth)
    else if (i % 5 < 3) {
      const reserve1 = (depth * BigInt(9_950 + next(100))) / 10_000n
      yield { pool: { ...pool, tickSpacing: null }, state: { kind: 'pair', reserve0: depth, reserve1 } }
    } else {
      const ticks = ticksOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], depth / 10n)
      const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n * (depth / 10n) } as const
      yield { pool: { ...pool, tickSpacing: TICK_SPACING }, state, ticks }
    }
  }
}

function stable(pool: Omit<MarketSeed['pool'], 'tickSpacing'>, hub: Address, depth: bigint): MarketSeed {
  const coins = [...new Set([pool.token0, pool.token1, hub])]
  const terms = [BigInt(coins.length), 20_000n, 100n, 0n, 1n, 0n, 4_000_000n, 0n, 0n]
  const values = [...terms, ...coins.map((_, i) => depth + BigInt(i)), ...coins.map(() => E18)]
  return {
    pool: { ...pool, fee: 0, tickSpacing: null, coins },
    state: { kind: 'formula', formula: 'curve-stable', values, freshUntil: null },
  }
}

function madeToken(number: number): Address {
  return `0x${(number + 1).toString(16).padStart(40, '0')}`
}
