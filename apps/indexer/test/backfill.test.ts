import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openChain } from '@dexfeed/chain'
import { DAY_S } from '@dexfeed/dex'
import { closeAfter, connectTo, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { runCommand } from '@dexfeed/test-setup/run-command'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import type { Client } from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { backfillRange } from '../src/backfill/backfill-range.ts'
import { openNetworkContext } from '../src/blocks/network-context.ts'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { run } from '../src/cli/backfill.ts'
import { openQueue } from '../src/queue/queue.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { environmentOf, kill, startWorker } from './scene/programs.ts'
import { openTestPlace, QUEUE_KINDS, type TestPlace } from './scene/queue-places.ts'
import type { RunningIndexer } from './scene/run-indexer.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'
import { type SlowNode, startSlowNode } from './scene/slow-node.ts'

const IS_LONG = inject('scale') > 1
const FINALITY_DEPTH = 24
/** The number of final blocks, all of which workers cover. */
const HISTORY = IS_LONG ? 90 : 45
let scene: ScriptedScene
let slow: SlowNode
let dexConfigFile: string
let undisturbed: Record<string, string[]>

beforeAll(async () => {
  scene = await scriptedScene('bsc', HISTORY + FINALITY_DEPTH - 1, { finalityDepth: FINALITY_DEPTH })
  slow = await startSlowNode(scene.rpcUrl, { maxBlocks: 2, delayMs: 75 })
  dexConfigFile = join(temporaryFolder(), 'dex-config.json')
  scene.writeConfig(dexConfigFile)
  undisturbed = await scene.cleanIndex()
})

/** Returns a program's options. By default, it reads from the slow node. */
function options(place: TestPlace, databaseUrl: string, rpcUrl = slow.url) {
  return { place: place.at(databaseUrl), rpcUrl, dexConfigFile }
}

function follow(place: TestPlace, databaseUrl: string, startBlock = 0): Promise<RunningIndexer> {
  return scene.index(databaseUrl, { ...place.at(databaseUrl), role: 'follow', startBlock })
}

function work(place: TestPlace, databaseUrl: string, rpcUrl = slow.url): Promise<RunningIndexer> {
  return scene.index(databaseUrl, { ...place.at(databaseUrl), rpcUrl, role: 'backfill' })
}

async function coveredHistory(client: Client): Promise<number> {
  const { rows } = await client.query<{ blocks: number }>(
    `SELECT coalesce(sum(least(to_block, final_number) - from_block + 1), 0)::int AS blocks
     FROM covered_range JOIN network USING (chain_id) WHERE from_block <= final_number`,
  )
  return rows[0]?.blocks ?? 0
}

/** Waits until more blocks are covered than now, but not all of them. */
async function someMore(client: Client): Promise<void> {
  const before = await coveredHistory(client)
  while ((await coveredHistory(client)) <= before) await delay(20)
  expect(await coveredHistory(client)).toBeLessThan(HISTORY)
}

describe.for(QUEUE_KINDS)('backfill by a queue on $kind', ({ kind, missing }) => {
  let place: TestPlace
  beforeAll(async () => {
    if (!missing) place = await openTestPlace(kind)
  })

  test.skipIf(missing || (kind === 'Redis' && !IS_LONG))(
    'a job whose worker is killed twice fails, is queued again and leaves the right rows',
    async () => {
      const databaseUrl = await testDatabase()
      const client = await connectTo(databaseUrl)
      const first = await follow(place, databaseUrl)
      for (let life = 0; life < 2; life++) {
        const worker = startWorker(options(place, databaseUrl))
        await someMore(client)
        await kill(worker)
        await place.unlock(databaseUrl)
      }
      await first.stop()
      // The third worker notices that the second one died. Nothing queues the job again, so it stays failed.
      const third = await work(place, databaseUrl)
      const queue = await openQueue(place.at(databaseUrl), 'bsc', quiet)
      const closeQueue = closeAfter(() => queue.close())
      while (!(await queue.failed()).some(({ stalled }) => stalled)) await delay(250)
      await closeQueue()
      const second = await follow(place, databaseUrl)
      await second.caughtUp(scene.head())
      await third.stop()
      await second.stop()
      expect(await dumpTables(databaseUrl)).toEqual(undisturbed)
    },
  )

  test.skipIf(missing || (kind === 'Postgres' && !IS_LONG))(
    'the command waits, and its exit code shows whether any part failed',
    async () => {
      const databaseUrl = await testDatabase()
      const follower = await follow(place, databaseUrl, 40)
      const pruned = await startSlowNode(scene.rpcUrl, { maxBlocks: 1_000, delayMs: 0, firstBlock: 15 })
      await work(place, databaseUrl, pruned.url)
      await follower.caughtUp(scene.head())
      const backfill = (...args: string[]) =>
        runCommand(run, ['--network', 'bsc', ...args], environmentOf(options(place, databaseUrl, pruned.url)))
      const lastLine = ({ stdout }: { stdout: string }) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
      const since = (scene.chain.blocks[25]?.timestamp ?? 0) - 0.5
      const days = (scene.head().timestamp - since) / DAY_S
      const served = await backfill('--days', days.toFixed(6), '--wait')
      expect(served).toMatchObject({ exitCode: 0 })
      // The block before them shows that none is missing.
      const blocks = HISTORY - scene.chain.blocks.findIndex(({ timestamp }) => timestamp >= since) + 1
      expect(lastLine(served)).toMatchObject({ done: blocks, total: blocks, complete: true, failed: [] })
      const refused = await backfill('--from', '10', '--to', '24', '--wait')
      expect(refused).toMatchObject({ exitCode: 1 })
      expect(lastLine(refused)).toMatchObject({ total: 15, complete: false })
    },
  )
})

test('a range that two workers cover at the same time has each row once', async () => {
  const databaseUrl = await testDatabase()
  const { network, rpcUrl, deployment } = scene
  const follower = await scene.index(databaseUrl, { role: 'follow' })
  const { store } = await openStore(databaseUrl, network)
  const finalNumber = async () => (await store.networkRow())?.finalNumber ?? null
  while ((await finalNumber()) === null) await delay(20)
  const range = { from: 0, to: (await finalNumber()) ?? 0 }
  const chain = openChain({ network, urls: [rpcUrl], topics: watchedTopics(deployment), pollMs: 1_000, log: quiet })
  closeAfter(() => chain.close())
  const worker = async () => {
    const context = await openNetworkContext(chain, store, deployment)
    const dependencies = { chain, store, context, log: quiet, onCommit: () => undefined }
    return backfillRange(dependencies, range, new AbortController().signal)
  }
  const results = await Promise.all([worker(), worker()])
  expect(results.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(range.to + 1)
  await follower.caughtUp(scene.head())
  await follower.stop()
  expect(await dumpTables(databaseUrl)).toEqual(undisturbed)
})
