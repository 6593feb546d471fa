import { FLAG_SETTLEMENT, type Pool, type PricedTrade, ROW_RULES } from '@dexfeed/dex'
import { openIndexerStore, openReader, type WashThresholds } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { address, filling, following, header, hop, MIDNIGHT, POOL, startWriter, trade } from './rows/sample.ts'
import { database, useDatabase } from './rows/scene.ts'

const DAY_S = 86_400
const E8 = 100_000_000n
const THRESHOLDS: WashThresholds = {
  minVolumeUsd: 1_000,
  minSwaps: 4,
  roundTripPercent: 50,
  topTraders: 2,
  topTradersPercent: 90,
  matchedPercent: 50,
}
const [ROUND_TRIPS, FEW_TRADERS, MATCHED] = [1, 2, 4]
const [X, Y] = [address(1), address(2)]
/** A pool inside a manager, identified by the manager's address and the pool's id. */
const INNER: Pool = { ...POOL, address: `${address(0xa1)}${'7'.repeat(64)}` }
const OTHER: Pool = { ...POOL, address: address(0xa2) }

useDatabase(10)

interface Made {
  pool?: Pool
  trader: number
  side: 'buys' | 'sells'
  usd: number
  /** Amount of X; the amount of Y is twice as much. */
  amount?: bigint
}

/** Trades of one day, one second apart; amounts are distinct by default. */
function trades(made: readonly Made[], day = 0): PricedTrade[] {
  return made.map(({ pool = POOL, trader, side, usd, amount }, index) => {
    const x = amount ?? BigInt(1_000 + index)
    const [inX, inY] = [
      { token: X, amount: x, native: false },
      { token: Y, amount: amount === undefined ? BigInt(5_000 + 7 * index) : 2n * x, native: false },
    ]
    const [sell, buy] = side === 'sells' ? [inX, inY] : [inY, inX]
    const sides = { tokenIn: sell.token, amountIn: sell.amount, tokenOut: buy.token, amountOut: buy.amount }
    const hops = [hop(pool, 0, sides)]
    const usdE8 = BigInt(usd) * E8
    const over = { transactionIndex: index, trader: address(trader), sell, buy, hops, hopsUsdE8: [usdE8], usdE8 }
    return trade(2 + day, MIDNIGHT + day * DAY_S + 60 + index, over)
  })
}

const buys = (traders: readonly number[], usd: number, pool = POOL) =>
  traders.map((trader): Made => ({ pool, trader, side: 'buys', usd }))

/** The same trade at another place in its transaction. */
function moved(pricedTrade: PricedTrade, position: number): PricedTrade {
  return { ...pricedTrade, position, hops: pricedTrade.hops.map((hop) => ({ ...hop, logIndex: position })) }
}

/** Commits the trades with final blocks at the beginning of this and later days: block 1 + n begins day n. */
async function index(all: readonly PricedTrade[], { days, final } = { days: 1, final: 3 }) {
  const store = openIndexerStore(database, 'polygon')
  const lease = await startWriter(store, 'polygon')
  // The first block lies before the day: a block in the first second of the day would not prove that the day is covered
  // from its beginning.
  const headers = Array.from({ length: days + 2 }, (_, n) => header(n + 1, MIDNIGHT + (n === 0 ? -1 : n * DAY_S)))
  const commit = following(lease.epoch, headers, all, { finalNumber: final })
  await store.commitHead({ ...commit, pools: [POOL, INNER, OTHER] })
  await lease.release()
  return store
}

const flagged = async () =>
  (await openReader(database).washFlags('2026-11-26', 7, 100)).pools.map(({ pool, flags }) => [pool, flags])

test('an address that trades back and forth with itself flags its pool', async () => {
  const honest = buys([0, 1, 2, 3, 4], 400, OTHER)
  const wash = [0, 1, 2].flatMap((): Made[] => [
    { trader: 9, side: 'buys', usd: 300 },
    { trader: 9, side: 'sells', usd: 299 },
    { trader: 8, side: 'buys', usd: 120 },
    { trader: 7, side: 'buys', usd: 120 },
  ])
  const store = await index(trades([...wash, ...honest]))
  expect(await store.judgeWashDay(THRESHOLDS)).toEqual({
    day: '2026-11-20',
    flaggedPools: 1,
    flaggedVolumeUsd: '2517.00000000',
  })
  const { days, pools } = await openReader(database).washFlags('2026-11-26', 7, 100)
  expect(pools).toEqual([
    {
      day: '2026-11-20',
      network: 'polygon',
      pool: POOL.address,
      swaps: 12,
      traders: 3,
      volumeUsd: '2517.00000000',
      roundTripUsd: '1794.00000000',
      topTradersUsd: '2157.00000000',
      matchedUsd: '0.00000000',
      flags: ROUND_TRIPS,
    },
  ])
  // Totals include flagged volume.
  expect(days).toEqual([
    {
      day: '2026-11-20',
      network: 'polygon',
      volumeUsd: '4517.00000000',
      flaggedVolumeUsd: '2517.00000000',
      flaggedPools: 1,
    },
  ])
})

test('two addresses that make nearly all of the volume flag it', async () => {
  const store = await index(trades([...buys([1, 2, 1, 2, 1, 2], 1_000), ...buys([3], 600)]))
  await store.judgeWashDay(THRESHOLDS)
  expect(await flagged()).toEqual([[POOL.address, FEW_TRADERS]])
})

// Both accounts of one owner fill the orders: one account gives a token to the other, and gets it back.
test('orders that no pool filled are judged by their two tokens and their accounts', async () => {
  const order = (pricedTrade: PricedTrade, account: number): PricedTrade => {
    const none = { hops: [], hopsUsdE8: [], flags: FLAG_SETTLEMENT }
    return { ...pricedTrade, ...none, trader: address(99), settledFor: address(account) }
  }
  const honest = buys([0, 1, 2, 3, 4], 400, OTHER)
  const wash = [7, 8, 7, 8].map((trader, n): Made => ({ trader, side: n % 2 === 0 ? 'buys' : 'sells', usd: 500 }))
  const all = trades([...wash, ...honest]).map((pricedTrade, n) =>
    n < wash.length ? order(pricedTrade, n < 2 ? 7 : 8) : pricedTrade,
  )
  const store = await index(all)
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ flaggedPools: 1, flaggedVolumeUsd: '2000.00000000' })
  expect(await flagged()).toEqual([[`${X}${Y.slice(2)}`, ROUND_TRIPS | FEW_TRADERS]])
})

// Each address transfers what it buys to another one, which sells exactly that amount: many addresses, one owner.
test('addresses that sell what others bought to the unit flag the pool, also one inside a manager', async () => {
  const made = Array.from({ length: 8 }, (_, n): Made[] => [
    { pool: INNER, trader: 10 + n, side: 'buys', usd: 500, amount: 77_000n + BigInt(n) },
    { pool: INNER, trader: 30 + n, side: 'sells', usd: 500, amount: 77_000n + BigInt(n) },
  ]).flat()
  const store = await index(trades(made))
  await store.judgeWashDay(THRESHOLDS)
  expect(await flagged()).toEqual([[INNER.address, MATCHED]])
})

test('pools of little volume or few swaps, and trades without value or trader, flag nothing', async () => {
  const small = [...buys([1, 1, 1, 1], 100), ...buys([1, 1, 1], 1_333, OTHER)]
  const unknown = trades(buys([1, 1, 1, 1], 10_000, INNER))
  const nobodys = unknown.map((pricedTrade, at) => ({ ...moved(pricedTrade, 1 + at), trader: null }))
  const valueless = { usdE8: null, hopsUsdE8: [null], source: null }
  const unpriced = unknown.map((pricedTrade, at) => ({ ...moved(pricedTrade, 9 + at), ...valueless }))
  const store = await index([...trades(small), ...nobodys, ...unpriced])
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ flaggedPools: 0, flaggedVolumeUsd: '0' })
  expect(await flagged()).toEqual([])
})

test('few large swaps are judged by their volume', async () => {
  const store = await index(trades(buys([1, 1, 1], 1_334, OTHER)))
  await store.judgeWashDay(THRESHOLDS)
  expect(await flagged()).toEqual([[OTHER.address, FEW_TRADERS]])
})

// bot: Y -- POOL (many others trade there) --> X -- OTHER (only bots) --> Z, and back
test('bots that enter through another pool first flag the pool behind it, and their trades count once', async () => {
  const Z = address(3)
  const honest = trades(Array.from({ length: 30 }, (_, n): Made => ({ trader: 20 + n, side: 'buys', usd: 1_000 })))
  const bots = [0, 1, 2, 3, 4, 5].map((n) => {
    const isForth = n % 2 === 0
    const amount = BigInt(900 + n)
    const path = isForth ? [Y, X, Z] : [Z, X, Y]
    const pools = isForth ? [POOL, OTHER] : [OTHER, POOL]
    const hops = pools.map((pool, at) => {
      const [tokenIn = X, tokenOut = X] = path.slice(at)
      return hop(pool, at, { tokenIn, tokenOut, amountIn: amount, amountOut: amount + 100n })
    })
    const leg = (token = X) => ({ token, amount, native: false })
    const over = { transactionIndex: 50 + n, sell: leg(path[0]), buy: leg(path[2]), hops }
    // Each of three bots trades back and forth, in different amounts.
    const trader = address(90 + Math.floor(n / 2))
    return trade(2, MIDNIGHT + 200 + n, { ...over, trader, hopsUsdE8: [500n * E8, 500n * E8], usdE8: 500n * E8 })
  })
  const store = await index([...honest, ...bots])
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ flaggedPools: 1, flaggedVolumeUsd: '3000.00000000' })
  expect(await flagged()).toEqual([[OTHER.address, ROUND_TRIPS]])
})

const BY_TWO = buys([1, 2, 1, 2], 1_000)

test('a day is judged once it is over, covered by the current rules and final; again when its total, thresholds or rules change', async () => {
  const store = await index([...trades(BY_TWO), ...trades(BY_TWO, 1)], { days: 2, final: 2 })
  await database.pool.query('UPDATE covered_range SET rules = 0')
  expect(await store.judgeWashDay(THRESHOLDS)).toBeNull()
  await database.pool.query('UPDATE covered_range SET rules = $1', [ROW_RULES])
  // Block 2 begins the second day, so only the first day is final, and the third has not begun.
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ day: '2026-11-20' })
  expect(await store.judgeWashDay(THRESHOLDS)).toBeNull()
  expect(await store.lastWashDay()).toMatchObject({ day: '2026-11-20', flaggedPools: 1 })
  expect(await store.judgeWashDay({ ...THRESHOLDS, topTradersPercent: 101 })).toMatchObject({ flaggedPools: 0 })
  expect(await flagged()).toEqual([])
  await store.judgeWashDay(THRESHOLDS)
  await database.pool.query('UPDATE day_total SET swaps = swaps + 1')
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ day: '2026-11-20', flaggedPools: 1 })
  // Makes the day look as if an older version had judged it.
  await database.pool.query('UPDATE wash_day SET thresholds = replace(thresholds, $1, $2)', [
    ...[`"rules",${ROW_RULES}`, '"rules",0'],
  ])
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ day: '2026-11-20' })
  expect(await store.judgeWashDay(THRESHOLDS)).toBeNull()
  // A day whose rows were dropped keeps its result.
  await database.pool.query('DELETE FROM swap')
  expect(await store.judgeWashDay({ ...THRESHOLDS, minSwaps: 1 })).toBeNull()
  expect(await flagged()).toEqual([[POOL.address, FEW_TRADERS]])
})

test('a day that is covered only in part is not judged', async () => {
  const store = openIndexerStore(database, 'polygon')
  const lease = await startWriter(store, 'polygon')
  const headers = [header(2, MIDNIGHT + 1), header(3, MIDNIGHT + DAY_S), header(4, MIDNIGHT + 2 * DAY_S)]
  await store.commitHead(following(lease.epoch, headers, trades(BY_TWO), { finalNumber: 4 }))
  expect(await store.judgeWashDay(THRESHOLDS)).toBeNull()
  await store.commitHistory({ ...filling(1, 1), fromTime: MIDNIGHT - 1, toTime: MIDNIGHT - 1 })
  expect(await store.judgeWashDay(THRESHOLDS)).toMatchObject({ day: '2026-11-20', flaggedPools: 1 })
  await lease.release()
})
