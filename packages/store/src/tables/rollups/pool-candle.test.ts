import type { Pool } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import { headers, hop, MIDNIGHT, POOL, trade } from '../../../test/rows/sample.ts'
import { fill, follow, rows, useStore } from '../../../test/rows/scene.ts'
import { minutesOf } from './pool-candle.ts'

// Candles identify a pool by the last eight bytes of its address, which several pools can share. Here three pools of
// two DEXes share them, and all three trade in each block.
const poolAt = (head: string, dex = POOL.dex): Pool => {
  return { ...POOL, dex, address: `0x${head.padEnd(24, '0')}${'ab'.repeat(8)}` }
}
const POOLS = [poolAt('a'), poolAt('b'), poolAt('c', { ...POOL.dex, name: 'other' })]

useStore('bsc', 3)

const tradesIn = (block: number) => [
  trade(block, MIDNIGHT + block, {
    hops: POOLS.map((pool, logIndex) => hop(pool, logIndex, { amountOut: 20n + BigInt(logIndex) })),
    hopsUsdE8: [150_000_000n, 150_000_000n, 150_000_000n],
  }),
]

it('pools that share a key stop no commit, count together, and are deleted with their blocks', async () => {
  const candles = () =>
    rows('SELECT sum(trades)::int AS trades, round(sum(volume_usd), 2)::text AS volume FROM pool_candle')
  const hours = () => rows(`SELECT protocol, trades::int FROM hour_volume WHERE protocol <> '' ORDER BY 1`)
  await follow(headers(10), tradesIn(10), {}, { pools: POOLS })
  expect(await candles()).toEqual([{ trades: 3, volume: '4.50' }])
  await follow(headers(11), tradesIn(11))
  await fill(8, 9, [...tradesIn(8), ...tradesIn(9)])
  expect(await candles()).toEqual([{ trades: 12, volume: '18.00' }])
  expect(await hours()).toEqual([
    { protocol: 'other', trades: 4 },
    { protocol: 'uniswap-v2', trades: 8 },
  ])
  await follow(headers(10, 10, 1), [], { rollbackTo: 9 })
  expect(await candles()).toEqual([{ trades: 6, volume: '9.00' }])
  expect((await hours()).reduce((sum, { trades }) => sum + trades, 0)).toBeGreaterThanOrEqual(6)
})

it('a row of history leaves out the places and prices that are equal', async () => {
  const [pool] = POOLS as [Pool]
  const each = (block: number) =>
    trade(block, MIDNIGHT + block, {
      hops: [hop(pool, 0, { amountIn: 10_000n, amountOut: 10_000n + BigInt(block) })],
      hopsUsdE8: [150_000_000n],
    })
  const left = ['open_at', 'close_at', 'high0', 'low0', 'close0'].map((column) => `${column} IS NULL AS ${column}`)
  const candles = () => rows(`SELECT part > 0 AS history, ${left} FROM pool_candle ORDER BY part`)
  await fill(1, 4, [each(4)])
  const same = { high0: true, low0: true, close0: true }
  expect(await candles()).toEqual([{ history: true, open_at: true, close_at: true, ...same }])
  await fill(5, 9, [each(5), each(9)])
  expect((await candles())[1]).toMatchObject({ history: true, open_at: true, close_at: false })
  // The number of the follower's part is not a place.
  await follow(headers(10), [each(10)])
  expect((await candles())[0]).toEqual({ history: false, open_at: false, close_at: true, ...same })
})

it('the parts of a minute are merged by the places of their hops', () => {
  const minutes = minutesOf('7', {
    n: 0,
    time: [60, 0, 0, 0],
    open_at: [9, 5, 2, 4],
    close_at: [null, 8, null, 6],
    open: ['10', '30', '20', '25'],
    high: [null, '35', null, '26'],
    low: [null, null, null, '5'],
    close: [null, '31', null, '6'],
  })
  const places = { openAt: 2, closeAt: 8 }
  expect(minutes.get(0)).toEqual({ pool: '7', open: 20n, high: 35n, low: 5n, close: 31n, first: 0, last: 0, ...places })
  expect(minutes.get(60)).toMatchObject({ open: 10n, high: 10n, low: 10n, close: 10n, first: 60, last: 60 })
})
