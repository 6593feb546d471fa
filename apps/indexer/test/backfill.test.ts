import { setTimeout as delay } from 'node:timers/promises'
import { openChain } from '@dexfeed/chain'
import type { Devnet } from '@dexfeed/devnet'
import { closeAfter, queryOnce, testDatabase } from '@dexfeed/test-setup'
import { beforeAll, describe, expect, test } from 'vitest'
import { backfillRange } from '../src/backfill/backfill-range.ts'
import { openNetworkContext } from '../src/blocks/network-context.ts'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { openQueue } from '../src/queue/queue.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { kill, runToEnd, startProgram, startWorker } from './scene/programs.ts'
import { openTestPlace, QUEUE_KINDS, type TestPlace } from './scene/queue-places.ts'
import { deploymentOf, type RunningIndexer, runIndexer } from './scene/run-indexer.ts'
import { type SlowNode, startSlowNode } from './scene/slow-node.ts'
import { dumpTables } from './scene/table-dump.ts'
import { testDevnet } from './scene/test-devnet.ts'

const HISTORY = 150
let devnet: Devnet<'bsc'>
let slow: SlowNode
let head: { number: number; hash: string }
/** The number of final blocks, which workers cover. */
let history: number
let undisturbed: Record<string, string[]>

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['bsc'], historyBlocks: HISTORY })
  slow = await startSlowNode(devnet.chains.bsc.rpcUrl, { maxBlocks: 2, delayMs: 75 })
  const block = await devnet.chains.bsc.provider.getBlock('latest')
  if (block?.hash == null) throw new Error('no head')
  head = { number: block.number, hash: block.hash }
  const databaseUrl = await testDatabase()
  const running = await runIndexer({ databaseUrl, ...onChain() })
  await running.caughtUp(head)
  await running.stop()
  undisturbed = await dumpTables(databaseUrl)
  history = await coveredHistory(databaseUrl)
}, 120_000)

function onChain() {
  return { network: 'bsc', rpcUrl: devnet.chains.bsc.rpcUrl, deployment: deploymentOf(devnet, 'bsc') } as const
}

/** Options of a program. It uses the slow node by default. */
function options(place: TestPlace, databaseUrl: string, rpcUrl = slow.url) {
  return { place: place.at(databaseUrl), rpcUrl, dexConfigFile: devnet.dexConfigFile }
}

async function follow(place: TestPlace, databaseUrl: string, startBlock = 0): Promise<RunningIndexer> {
  const { redisUrl } = place.at(databaseUrl)
  return runIndexer({ databaseUrl, redisUrl, ...onChain(), role: 'follow', startBlock })
}

async function coveredHistory(databaseUrl: string): Promise<number> {
  const [row] = await queryOnce<{ blocks: number }>(
    databaseUrl,
    `SELECT coalesce(sum(least(to_block, final_number) - from_block + 1), 0)::int AS blocks
     FROM covered_range JOIN network USING (chain_id) WHERE from_block <= final_number`,
  )
  return row?.blocks ?? 0
}

/** Waits until more blocks are covered than now, but not all. */
async function someMore(databaseUrl: string): Promise<void> {
  const before = await coveredHistory(databaseUrl)
  while ((await coveredHistory(databaseUrl)) <= before) await delay(20)
  expect(await coveredHistory(databaseUrl)).toBeLessThan(history)
}

describe.for(QUEUE_KINDS)('backfill by a queue on $kind', ({ kind, missing }) => {
  let place: TestPlace
  beforeAll(async () => {
    if (!missing) place = await openTestPlace(kind)
  })

  test.skipIf(missing)(
    'a job whose worker is killed twice fails, is queued again and leaves the right rows',
    async () => {
      const databaseUrl = await testDatabase()
      const first = await follow(place, databaseUrl)
      for (let life = 0; life < 2; life++) {
        const worker = startWorker(options(place, databaseUrl))
        await someMore(databaseUrl)
        await kill(worker)
      }
      await first.stop()
      // The third worker notices that the second died. Nothing queues the job again, so it stays failed.
      const third = startWorker(options(place, databaseUrl))
      const queue = await openQueue(place.at(databaseUrl), 'bsc', quiet)
      const closeQueue = closeAfter(() => queue.close())
      while (!(await queue.failed()).some(({ stalled }) => stalled)) await delay(50)
      await closeQueue()
      const second = await follow(place, databaseUrl)
      await second.caughtUp(head)
      await kill(third)
      await second.stop()
      expect(await dumpTables(databaseUrl)).toEqual(undisturbed)
    },
    120_000,
  )

  test.skipIf(missing)('the command waits, and its exit code shows whether any part failed', async () => {
    const databaseUrl = await testDatabase()
    const follower = await follow(place, databaseUrl, 80)
    const pruned = await startSlowNode(devnet.chains.bsc.rpcUrl, { maxBlocks: 1_000, delayMs: 0, firstBlock: 30 })
    startWorker(options(place, databaseUrl, pruned.url))
    await follower.caughtUp(head)
    const backfill = (...args: string[]) =>
      runToEnd(startProgram('backfill', options(place, databaseUrl, pruned.url), ['--network', 'bsc', ...args]))
    const served = await backfill('--from', '50', '--to', '79', '--wait')
    expect(served).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(served.lines.at(-1) ?? '')).toMatchObject({ done: 30, total: 30, complete: true, failed: [] })
    const refused = await backfill('--from', '20', '--to', '49', '--wait')
    expect(refused).toMatchObject({ exitCode: 1 })
    expect(JSON.parse(refused.lines.at(-1) ?? '')).toMatchObject({ total: 30, complete: false })
  })
})

test('a range that two workers cover at the same time has each row once', async () => {
  const databaseUrl = await testDatabase()
  const { network, rpcUrl, deployment } = onChain()
  const follower = await runIndexer({ databaseUrl, ...onChain(), role: 'follow' })
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
  await follower.caughtUp(head)
  await follower.stop()
  expect(await dumpTables(databaseUrl)).toEqual(undisturbed)
})
