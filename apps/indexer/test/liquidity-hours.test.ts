import { createRandom } from '@dexfeed/devnet'
import { type Address, createMarket, HOUR_S, heldAmounts, type Market, pricesOfStates } from '@dexfeed/dex'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { expect, inject, test } from 'vitest'
import { openStore } from './scene/open-store.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'

const SEED = inject('seed')
const BLOCKS = 40 * inject('scale')
const FINALITY_DEPTH = 12
/** A quarter of an hour, so that an hour has few blocks. */
const BLOCK_TIME_S = HOUR_S / 4

/** What the pools hold in a block, from the chain's own states. */
function marketIn(scene: ScriptedScene, number: number): Market {
  const states = scene.chain.blocks[number]?.states ?? new Map()
  const pools = scene.chain.market.pools.filter(({ address }) => states.has(address))
  return createMarket(
    pools.map(({ address, token0, token1, fee, tickSpacing }) => {
      const state = states.get(address) ?? expect.fail()
      const pool = { address, token0: token0.address, token1: token1.address, fee, tickSpacing }
      if (state.kind === 'pair') return { pool, state }
      const ticks = [...state.ticks].map(([tick, change]) => ({ tick, ...change }))
      return { pool, state, ticks }
    }),
  )
}

interface StoredHour {
  time: number
  block: number
  since: number
  prices: Record<string, string>
  /** By pool: its newest row since `since`. */
  held: Record<string, string[] | null>
}

async function storedHours(databaseUrl: string): Promise<StoredHour[]> {
  const client = await connectTo(databaseUrl)
  const { rows } = await client.query<StoredHour>(
    `SELECT extract(epoch FROM hour.time)::float8 AS time, block_number::int AS block,
       extract(epoch FROM since)::float8 AS since,
       (SELECT json_object_agg('0x' || encode(token, 'hex'), price::text) FROM unnest(anchors, prices) AS p (token, price)) AS prices,
       (SELECT json_object_agg('0x' || encode(pool, 'hex'), amounts::text[]) FROM (
         SELECT DISTINCT ON (pool) * FROM pool_hour
         WHERE pool_hour.time BETWEEN hour.since AND hour.time ORDER BY pool, pool_hour.time DESC) AS newest) AS held
     FROM liquidity_hour AS hour ORDER BY 1`,
  )
  return rows
}

function lastBlockBefore({ chain }: ScriptedScene, time: number): number {
  return chain.blocks.findLastIndex(({ timestamp }) => timestamp < time)
}

/**
 * Compares what pools hold with the chain. Their amounts must be there if their state was known by `knownBy`, and may be
 * there earlier. Returns how many were compared.
 */
function compareHeld(scene: ScriptedScene, hours: readonly StoredHour[], knownBy: ReadonlyMap<string, number>): number {
  let compared = 0
  for (const { time, block, held } of hours) {
    expect(block).toBe(lastBlockBefore(scene, time))
    for (const inState of marketIn(scene, block).pools()) {
      const { address } = inState.pool
      const amounts = held?.[address]
      if (amounts === undefined) expect(block, address).toBeLessThan(knownBy.get(address) ?? Number.POSITIVE_INFINITY)
      else expect(amounts, `${address} at ${time}`).toEqual(heldAmounts(inState)?.map(String))
      if (amounts !== undefined) compared++
    }
  }
  return compared
}

/** Compares the prices with those that the known pools show on the chain. */
function comparePrices(scene: ScriptedScene, hours: readonly StoredHour[]): void {
  const { deployment, chain } = scene
  for (const { block, held, prices } of hours) {
    const known = [...marketIn(scene, block).pools()].filter(({ pool }) => held?.[pool.address] !== undefined)
    const expected = [...pricesOfStates(known, deployment, chain.market.tokens)]
    expect(prices ?? {}).toEqual(Object.fromEntries(expected.map(([token, { priceE18 }]) => [token, `${priceE18}`])))
  }
}

/** The oldest block of which each pool has a stored state. */
async function oldestStates(databaseUrl: string): Promise<Map<string, number>> {
  const client = await connectTo(databaseUrl)
  const { rows } = await client.query<{ pool: string; block: number }>(
    `SELECT '0x' || encode(pool, 'hex') AS pool, min(block_number)::int AS block FROM pool_state GROUP BY pool`,
  )
  return new Map(rows.map(({ pool, block }) => [pool, block]))
}

//   pools are read   hours pass, the head is replaced again and again, the indexer restarts
test('at each full hour, pools hold what the chain says, from where their state is known', async () => {
  const random = createRandom(SEED)
  const options = { seed: SEED, finalityDepth: FINALITY_DEPTH, blockTimeS: BLOCK_TIME_S }
  const scene = await scriptedScene('bsc', BLOCKS, options)
  const databaseUrl = await testDatabase()
  // With it, loops run without pauses.
  const follow = () => scene.index(databaseUrl, { onStates: () => undefined })
  let follower = await follow()
  await follower.caughtUp(scene.head())
  const knownBy = await oldestStates(databaseUrl)
  for (let step = 0; step < 8; step++) {
    if (step % 3 === 2) scene.reorg(1 + random.integer(FINALITY_DEPTH - 2), FINALITY_DEPTH)
    else scene.mine(1 + random.integer(9))
    await follower.caughtUp(scene.head())
    for (const [pool, block] of await oldestStates(databaseUrl)) if (!knownBy.has(pool)) knownBy.set(pool, block)
    if (step % 4 !== 3) continue
    await follower.stop()
    scene.mine(random.integer(20))
    follower = await follow()
  }
  await follower.caughtUp(scene.head())
  const final = scene.chain.blocks.at(-1 - FINALITY_DEPTH) ?? expect.fail()
  const last = final.timestamp - (final.timestamp % HOUR_S)
  await expect.poll(async () => (await storedHours(databaseUrl)).at(-1)?.time, { timeout: 60_000 }).toBe(last)
  await follower.stop()
  const hours = await storedHours(databaseUrl)
  expect(hours.map(({ time }) => time)).toEqual(hours.map((_, at) => last - (hours.length - 1 - at) * HOUR_S))
  expect(new Set(hours.map(({ since }) => since)).size).toBe(1)
  expect(compareHeld(scene, hours, knownBy)).toBeGreaterThan(20)
  comparePrices(scene, hours)
}, 200_000)

//   hours of a pool --- its state proves wrong --- read again --- hours of the pool
test('a pool whose state proved wrong has only hours after it was read again', async () => {
  const scene = await scriptedScene('eth', BLOCKS, { finalityDepth: FINALITY_DEPTH, blockTimeS: BLOCK_TIME_S })
  const databaseUrl = await testDatabase()
  const follow = () => scene.index(databaseUrl, { onStates: () => undefined })
  let follower = await follow()
  const go = async (blocks: number) => {
    scene.mine(blocks)
    await follower.caughtUp(scene.head())
  }
  const hoursOf = async (pool: string) =>
    (await storedHours(databaseUrl)).filter(({ held }) => held?.[pool] !== undefined).map(({ block }) => block)
  await follower.caughtUp(scene.head())
  await go(40)
  const [pool = '0x'] = [...(await oldestStates(databaseUrl)).keys()] as Address[]
  await expect.poll(() => hoursOf(pool), { timeout: 60_000 }).not.toEqual([])
  await follower.stop()
  const wrongAt = scene.head().number
  const { store } = await openStore(databaseUrl)
  await store.invalidate([{ pool, blockNumber: wrongAt }])
  follower = await follow()
  const firstHour = async () => {
    await go(4)
    return (await hoursOf(pool))[0] ?? 0
  }
  await expect.poll(firstHour, { timeout: 100_000 }).toBeGreaterThan(wrongAt)
  await follower.stop()
  compareHeld(scene, await storedHours(databaseUrl), new Map())
}, 200_000)
