import { type Address, createMarket, quoteAmount } from '@dexfeed/dex'
import type { BenchResult } from '../bench-result.ts'
import { madeMarket, madeNumbers, madeToken } from './made-market.ts'
import { poolSpeed } from './pool-speed.ts'

/** The form of public routing benchmarks: three hops over 2,400 tokens and 10,000 edges, on one core. */
const PUBLIC_FORM = { tokens: 2_400, pools: 10_000 }
const REQUESTS = 5_000
const WARM_UP = 500
/** Up to a fiftieth of what a pool holds. */
const AMOUNT = 20n * 10n ** 18n

interface Timed {
  perS: number
  /** Share of the requests that have a route. */
  found: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Measures single pools and whole routes without HTTP, on one core. */
export function measureInProcess(pools: number): BenchResult {
  const { singleUs, crossTickUs } = poolSpeed()
  const publicForm = timeRoutes(PUBLIC_FORM)
  const size = { tokens: Math.ceil((pools * 2) / 3), pools }
  const own = timeRoutes(size)
  const split = timeRoutes(size, 4)
  return {
    notes: [
      ['a quote inside a tick, over ten ticks, us', `${singleUs.toFixed(1)}, ${crossTickUs.toFixed(1)}`],
      ['three hops, 2,400 tokens, 10,000 edges', textOf(publicForm)],
      [`three hops, ${pools.toLocaleString('en')} pools`, textOf(own)],
      ['  in up to four parts', textOf(split)],
    ],
    figures: {
      single_us: Number(singleUs.toFixed(1)),
      cross_tick_us: Number(crossTickUs.toFixed(1)),
      three_hop_per_s: Math.round(publicForm.perS),
      in_process_p99_ms: Number(own.p99Ms.toFixed(2)),
      split_p99_ms: Number(split.p99Ms.toFixed(2)),
    },
  }
}

function textOf({ perS, found, p50Ms, p99Ms, maxMs }: Timed): string {
  const times = [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2)).join(', ')
  return `${perS.toFixed(0)} per second, ${(100 * found).toFixed(0)} % found; 50 %, 99 %, longest: ${times} ms`
}

/** Times quotes of large amounts between random tokens of a made market. */
function timeRoutes({ tokens, pools }: { tokens: number; pools: number }, maxSplits: 1 | 4 = 1): Timed {
  const next = madeNumbers(1)
  const market = createMarket(madeMarket(tokens, pools, next))
  const requests = Array.from({ length: WARM_UP + REQUESTS }, () => {
    const sell = next(tokens)
    return [madeToken(sell), madeToken((sell + 1 + next(tokens - 1)) % tokens)] as const
  })
  const query = { amount: AMOUNT, side: 'in', maxHops: 3, maxSplits } as const
  return time(requests, (sell, buy) => quoteAmount(market, { ...query, sell, buy }) !== null)
}

function time(
  requests: readonly (readonly [Address, Address])[],
  route: (sell: Address, buy: Address) => boolean,
): Timed {
  const times: number[] = []
  let found = 0
  for (const [at, [sell, buy]] of requests.entries()) {
    const started = performance.now()
    const isFound = route(sell, buy)
    if (at < WARM_UP) continue
    times.push(performance.now() - started)
    if (isFound) found++
  }
  const totalMs = times.reduce((sum, ms) => sum + ms, 0)
  times.sort((a, b) => a - b)
  const quantile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN
  return {
    perS: (1_000 * times.length) / totalMs,
    found: found / times.length,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
  }
}
