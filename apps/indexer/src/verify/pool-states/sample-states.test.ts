import type { PoolAddress } from '@dexfeed/dex'
import { queryOnce } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { quiet } from '../../../test/scene/made-values.ts'
import { scriptedScene } from '../../../test/scene/scripted-scene.ts'
import { type SampleDependencies, sampleStates } from './sample-states.ts'
import type { CheckedStates, PoolChecker } from './state-checker.ts'

/** Selectors of `getReserves()`, `slot0()`, `tickBitmap(int16)` and `ticks(int24)`. */
const STATE_SELECTORS = ['0x0902f1ac', '0x3850c7bd', '0x5339c296', '0xf30dba93']

/** Returns a correct database, changed only by these statements, without a running indexer. */
async function spoilt(...statements: string[]) {
  const scene = await scriptedScene('eth', 60)
  const databaseUrl = await scene.indexed()
  const pools: { pool: string }[] = []
  for (const statement of statements) pools.push(...(await queryOnce<{ pool: string }>(databaseUrl, statement)))
  const wrong = [...new Set(pools.map(({ pool }) => pool))].sort()
  expect(wrong.length).toBeGreaterThanOrEqual(statements.length)
  const invalidated = async () => {
    const rows = await queryOnce<{ pool: string }>(
      databaseUrl,
      "SELECT encode(pool, 'hex') AS pool FROM invalidated_pool WHERE trusted_from IS NULL",
    )
    return rows.map(({ pool }) => pool).sort()
  }
  const endsRight = async () => {
    const [found, right] = [await dumpTables(databaseUrl), await scene.cleanIndex()]
    for (const table of ['pool_state', 'pool_tick']) expect(found[table]).toEqual(right[table])
  }
  return { scene, databaseUrl, wrong, invalidated, endsRight }
}

const RETURNING = "RETURNING encode(pool, 'hex') AS pool"
/** Selects all versions of the first or the second pool with ticks. */
const pool = (place: 0 | 1) =>
  `(SELECT pool FROM pool_tick WHERE gross > 0 GROUP BY pool ORDER BY pool LIMIT 1 OFFSET ${place})`
const lowest = (place: 0 | 1) => `(SELECT min(tick) FROM pool_tick WHERE gross > 0 AND pool = ${pool(place)})`

//   .. - 60            - 61
//        found wrong,     read again
//        invalidated
test.each<[string, string[]]>([
  [
    'reserves, a price and liquidity',
    [
      `UPDATE pool_state SET reserve0 = reserve0 + 1 WHERE reserve0 IS NOT NULL ${RETURNING}`,
      `UPDATE pool_state SET sqrt_price_x96 = sqrt_price_x96 + 1 WHERE pool = ${pool(0)} ${RETURNING}`,
      `UPDATE pool_state SET liquidity = liquidity + 1 WHERE pool = ${pool(1)} ${RETURNING}`,
    ],
  ],
  [
    'the net of a tick, and a tick that is lost',
    [
      `UPDATE pool_tick SET net = -net WHERE pool = ${pool(0)} AND tick = ${lowest(0)} ${RETURNING}`,
      `DELETE FROM pool_tick WHERE pool = ${pool(1)} AND tick = ${lowest(1)} ${RETURNING}`,
    ],
  ],
  [
    'a tick too many',
    [
      `INSERT INTO pool_tick SELECT chain_id, pool, tick + 60, block_number, revision, 1, 1 FROM pool_tick AS newest
       WHERE gross > 0 AND NOT EXISTS (
         SELECT FROM pool_tick WHERE pool = newest.pool AND tick = newest.tick + 60
       ) ORDER BY pool, tick, block_number DESC LIMIT 1 ${RETURNING}`,
    ],
  ],
])('%s: found, reported, and right again', async (_, statements) => {
  const { scene, databaseUrl, wrong, invalidated, endsRight } = await spoilt(...statements)
  const found = new Set<PoolAddress>()
  const onStates = ({ differences }: CheckedStates) => {
    for (const { pool } of differences) found.add(pool)
  }
  const running = await scene.index(databaseUrl, { onStates })
  await running.warns(/pool states differ from the chain/)
  await expect.poll(invalidated).toEqual(wrong)
  scene.chain.mine(1)
  await expect.poll(invalidated).toEqual([])
  await running.caughtUp(scene.head())
  await endsRight()
  expect([...found].map((pool) => pool.slice(2)).sort()).toEqual(wrong)
  await running.stop()
})

//   .. - 60           - 61
//        found wrong    another process reads it again
//        and killed
test('a state found wrong is not trusted after a restart', async () => {
  const { scene, databaseUrl, wrong, invalidated, endsRight } = await spoilt(
    `UPDATE pool_state SET liquidity = liquidity + 1 WHERE liquidity IS NOT NULL ${RETURNING}`,
  )
  const first = await scene.index(databaseUrl, { onStates: () => undefined })
  await expect.poll(invalidated).toEqual(wrong)
  await first.stop()
  scene.chain.mine(1)
  const second = await scene.index(databaseUrl)
  await expect.poll(invalidated).toEqual([])
  await second.caughtUp(scene.head())
  await endsRight()
  await second.stop()
})

test('a pool that another process found wrong is read again', async () => {
  const { scene, databaseUrl, invalidated, endsRight } = await spoilt(`SELECT 'none' AS pool`)
  const running = await scene.index(databaseUrl, { onStates: () => undefined })
  await running.follows(scene.head())
  await queryOnce(databaseUrl, 'INSERT INTO invalidated_pool SELECT DISTINCT chain_id, pool, 60 FROM pool_state')
  scene.chain.mine(1)
  await expect.poll(invalidated).toEqual([])
  await running.caughtUp(scene.head())
  await endsRight()
  await running.stop()
})

test('a node that returns other states once is not trusted, and nothing is invalidated', async () => {
  const scene = await scriptedScene('eth', 60)
  const databaseUrl = await scene.indexed()
  let lies = 0
  const priorities = new Set<string | undefined>()
  const lying = await scene.index(databaseUrl, {
    onStates: () => undefined,
    wrap: (chain) => ({
      ...chain,
      callMany: async (calls, at, how) => {
        const answers = await chain.callMany(calls, at, how)
        // The second read of the same pools is honest.
        if (calls.some(({ data }) => STATE_SELECTORS.includes(data.slice(0, 10)))) priorities.add(how?.priority)
        const isStates = calls.some(({ data }) => data === '0x0902f1ac')
        return isStates && lies++ % 2 === 0
          ? answers.map((answer) => answer?.replace(/.$/, '9') as typeof answer)
          : answers
      },
    }),
  })
  await lying.warns(/contradict each other about pools/)
  expect(await queryOnce(databaseUrl, 'SELECT FROM invalidated_pool WHERE trusted_from IS NULL')).toEqual([])
  expect([...priorities]).toEqual(['bulk'])
  await lying.stop()
})

const DAY_MS = 86_400_000

/** Samples states by a fake clock until `end`. `now` advances the clock and returns the time. */
async function sampleUntil(end: number, parts: (now: (ms?: number) => number) => Partial<SampleDependencies>) {
  const ended = new AbortController()
  let time = 0
  const now = (ms = 0) => {
    time += ms
    return time
  }
  const sleep = async (ms: number) => {
    if (now(ms) >= end) ended.abort()
  }
  const store = {
    poolsWithState: async () => [],
    checkedPool: async () => null,
    setCheckedPool: async () => undefined,
    invalidatedPools: async () => [],
  }
  const follower = { pools: { readBlock: {}, resync: () => undefined }, invalidate: async () => undefined }
  const checker: PoolChecker = {
    async *check() {
      yield expect.fail('nodes do not have the state of so old a block')
    },
  }
  const shared = { store, checker, follower, known: { pools: new Map() }, onStates: () => undefined, log: quiet }
  await sampleStates({ ...shared, clock: { sleep }, now: () => now(), ...parts(now) }, ended.signal)
}

/** Returns how often each of these pools is compared within a day, by address. */
async function stepsOf(pools: number, isUnreadable: (pool: PoolAddress) => boolean = () => false) {
  const addresses = Array.from({ length: pools }, (_, i): PoolAddress => `0x${i.toString(16).padStart(40, '0')}`)
  const compared = new Map<PoolAddress, number>()
  let checked: PoolAddress | null = null
  await sampleUntil(DAY_MS, (now) => ({
    store: {
      poolsWithState: async (after, limit) => {
        const first = after === null ? 0 : Number(after) + 1
        return addresses.slice(first, first + limit)
      },
      checkedPool: async () => checked,
      setCheckedPool: async (pool) => {
        checked = pool
      },
      invalidatedPools: async () => [],
    },
    checker: {
      async *check(some) {
        now(4_000)
        if (some.some(isUnreadable)) throw new Error('the node takes too long')
        for (const pool of some) compared.set(pool, (compared.get(pool) ?? 0) + 1)
        yield { compared: some.length, differences: [] }
      },
    },
    known: { pools: new Map(addresses.map((address) => [address, {}])) },
  }))
  return addresses.map((pool) => compared.get(pool) ?? 0)
}

test.each([7, 1_000, 20_000])('of %i pools each is compared within a day', async (pools) => {
  const times = await stepsOf(pools)
  expect(Math.min(...times)).toBeGreaterThan(0)
})

test('unreadable pools do not hold up the others forever', async () => {
  const times = await stepsOf(1_000, (pool) => /(000|1f4)$/.test(pool))
  expect(times.filter((count) => count === 0).length).toBeLessThan(20)
})

test('pools that failed once are tried again before the next ones', async () => {
  let failures = 0
  const times = await stepsOf(1_000, (pool) => /1f4$/.test(pool) && failures++ === 0)
  // No pool had fewer turns than the pools after it.
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(failures).toBeGreaterThan(1)
})

test('of many pools, no more than needed are compared', async () => {
  const times = await stepsOf(20_000)
  expect(Math.max(...times)).toBeLessThanOrEqual(2)
})

test('a finding that could not be cleared is reported again after minutes, not at each step', async () => {
  const told: number[] = []
  await sampleUntil(1_200_001, (now) => ({
    store: {
      poolsWithState: async () => [],
      checkedPool: async () => null,
      setCheckedPool: async () => undefined,
      invalidatedPools: async () => [{ pool: '0xaa', blockNumber: now() < 60_000 ? 5 : 6 }],
    },
    follower: { pools: { readBlock: null, resync: () => void told.push(now()) }, invalidate: async () => undefined },
  }))
  expect(told).toEqual([0, 60_000, 660_000])
})
