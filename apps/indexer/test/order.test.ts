import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '@dexfeed/devnet'
import { connectTo, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, inject, test } from 'vitest'
import { type Order, randomChunks, workOnChunks } from './scene/order-of-chunks.ts'
import { kill, startWorker } from './scene/programs.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'
import { startSlowNode } from './scene/slow-node.ts'

const IS_LONG = inject('scale') > 1
const BLOCKS = IS_LONG ? 260 : 70
const FINALITY_DEPTH = 24
const SEEDS = IS_LONG ? [589091, inject('seed')] : [inject('seed')]
const KILLS = 3

const openScene = (seed: number, blocks = BLOCKS) =>
  scriptedScene('bsc', blocks, { seed, finalityDepth: FINALITY_DEPTH })

/** Returns the content of the database after a follower has run and history was indexed in these chunks. */
async function indexInChunks(
  scene: ScriptedScene,
  random: Random,
  { order, workers, cuts }: { order: Order; workers: number; cuts: boolean },
): Promise<Record<string, string[]>> {
  const databaseUrl = await testDatabase()
  const follower = await scene.index(databaseUrl, { role: 'follow' })
  await follower.follows(scene.head())
  const chunks = randomChunks(BLOCKS - FINALITY_DEPTH, order, random)
  const { cut } = await workOnChunks({
    options: { ...scene, databaseUrl },
    chunks,
    workers,
    cuts: cuts ? random : null,
  })
  if (cuts) expect(cut).toBeGreaterThan(0)
  await follower.caughtUp(scene.head())
  await follower.stop()
  return dumpTables(databaseUrl)
}

async function plain(scene: ScriptedScene): Promise<Record<string, string[]>> {
  const tables = await scene.cleanIndex()
  // Make sure that no empty tables are compared.
  for (const table of Object.keys(tables)) expect(tables[table]?.length, table).toBeGreaterThan(0)
  return tables
}

test.each(SEEDS)(
  'the order of indexing shows nowhere, whatever the chunks, workers and cuts (seed %i)',
  async (seed) => {
    for (const [at, variant] of variantsOf(createRandom(seed)).entries()) {
      const scene = await openScene(seed)
      const random = createRandom(seed * 100 + at)
      expect(await indexInChunks(scene, random, variant), JSON.stringify(variant)).toEqual(await plain(scene))
    }
  },
  400_000,
)

function variantsOf(random: Random): { order: Order; workers: number; cuts: boolean }[] {
  const always = [
    { order: 'backwards', workers: 1, cuts: false },
    { order: 'shuffled', workers: 2 + random.integer(3), cuts: false },
  ] as const
  if (!IS_LONG) return [...always]
  return [
    ...always,
    { order: 'forwards', workers: 1 + random.integer(2), cuts: false },
    { order: 'shuffled', workers: 1 + random.integer(4), cuts: true },
  ]
}

//   block   0 - 1 - .. - 260      followed from the first one, a few blocks at a time, with restarts
test.each(SEEDS)(
  'a chain that was followed from its start leaves the same as one that was filled in (seed %i)',
  async (seed) => {
    const scene = await openScene(seed, 3)
    const databaseUrl = await testDatabase()
    // Used for the test's choices. The chain's choices follow only from the seed.
    const random = createRandom(seed + 1)
    let follower = await scene.index(databaseUrl)
    await follower.follows(scene.head())
    while (scene.head().number < BLOCKS) {
      scene.mine(Math.min(BLOCKS - scene.head().number, 1 + random.integer(random.next() < 0.1 ? 40 : 6)))
      if (random.next() < 0.5) await follower.follows(scene.head())
      if (random.next() < 0.1) {
        await follower.stop()
        follower = await scene.index(databaseUrl)
      }
    }
    await follower.caughtUp(scene.head())
    await follower.stop()
    expect(await dumpTables(databaseUrl)).toEqual(await plain(scene))
  },
  400_000,
)

test.runIf(IS_LONG).each(SEEDS.slice(-1))(
  'workers that are killed again and again leave the same (seed %i)',
  async (seed) => {
    const scene = await openScene(seed)
    const databaseUrl = await testDatabase()
    const random = createRandom(seed + 1)
    const dexConfigFile = join(temporaryFolder(), 'dex-config.json')
    scene.writeConfig(dexConfigFile)
    const slow = await startSlowNode(scene.rpcUrl, { maxBlocks: 4, delayMs: 20 })
    const program = { place: { databaseUrl, redisUrl: null }, rpcUrl: slow.url, dexConfigFile }
    const follower = await scene.index(databaseUrl, { role: 'follow' })
    await follower.follows(scene.head())
    const client = await connectTo(databaseUrl)
    const covered = async () => {
      const { rows } = await client.query<{ blocks: number }>(
        'SELECT coalesce(sum(to_block - from_block + 1), 0)::int AS blocks FROM covered_range',
      )
      return rows[0]?.blocks ?? 0
    }
    const workers = [startWorker(program), startWorker(program)]
    for (let life = 0; life < KILLS; life++) {
      for (const before = await covered(); (await covered()) === before && before <= BLOCKS; ) await delay(10)
      await delay(random.integer(80))
      const [worker] = workers.splice(random.integer(workers.length), 1)
      if (worker !== undefined) await kill(worker)
      workers.push(startWorker(program))
    }
    await follower.caughtUp(scene.head())
    await Promise.all(workers.map(kill))
    await follower.stop()
    expect(await dumpTables(databaseUrl)).toEqual(await plain(scene))
  },
  400_000,
)
