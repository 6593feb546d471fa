import { type Address, bestRoute, createMarket } from '@dexfeed/dex'

const RUNS = 20_000
const E18 = 10n ** 18n
const TOKENS: [Address, Address] = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
]
const POOL: Address = '0x0000000000000000000000000000000000000009'

/** Returns microseconds of a quote through one pool after a change of its state: inside a tick, and over ten ticks. */
export function poolSpeed(): { singleUs: number; crossTickUs: number } {
  const market = createMarket()
  const pool = { address: POOL, token0: TOKENS[0], token1: TOKENS[1], fee: 3000, tickSpacing: 60 }
  market.upsertPool(pool)
  market.setTicks(
    POOL,
    Array.from({ length: 40 }, (_, at) => at - 20).flatMap((at) => {
      const net = at < 0 ? E18 : -E18
      return at === 0 ? [] : [{ tick: 60 * at, gross: E18, net }]
    }),
  )
  const time = (amount: bigint) => {
    let microseconds = 0
    for (let run = 0; run < 2 * RUNS; run++) {
      if (run === RUNS) microseconds = 0
      const liquidity = 20n * E18 + BigInt(run)
      market.setState(POOL, { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity })
      const started = performance.now()
      if (bestRoute(market, TOKENS[0], TOKENS[1], amount) === null)
        throw new Error('no route: the pool must accept the amount')
      microseconds += 1_000 * (performance.now() - started)
    }
    return microseconds / RUNS
  }
  return { singleUs: time(E18 / 100n), crossTickUs: time(E18 / 2n) }
}
