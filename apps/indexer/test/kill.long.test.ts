import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Devnet } from '@dexfeed/devnet'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import type { Client } from 'pg'
import { beforeAll, expect, inject, test } from 'vitest'
import { kill, startProgram } from './scene/programs.ts'
import { deploymentOf, headOf, runIndexer } from './scene/run-indexer.ts'
import { type SlowNode, startSlowNode } from './scene/slow-node.ts'
import { testDevnet } from './scene/test-devnet.ts'

const KILLS = 8
const HISTORY_BLOCKS = 600
/** Maximum blocks that one life covers, so that many lives end while catching up. */
const SHARE = 20
/** How often a life is checked, and how long it may take to cover its share. */
const LIFE = { interval: 5, timeout: 180_000 }
/** A life continues for a random part of this time after it has covered its share. */
const CHANCE_MS = 60
let devnet: Devnet<'bsc'>
let node: SlowNode

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['bsc'], historyBlocks: HISTORY_BLOCKS })
  node = await startSlowNode(devnet.chains.bsc.rpcUrl, { maxBlocks: 5, delayMs: 15 })
})

const head = () => headOf(devnet.chains.bsc)

async function progress(client: Client) {
  const { rows } = await client.query<{ blocks: number; epoch: number }>(
    `SELECT coalesce((SELECT sum(to_block - from_block + 1) FROM covered_range), 0)::int AS blocks,
       coalesce((SELECT max(writer_epoch) FROM network), 0)::int AS epoch`,
  )
  return rows[0] ?? { blocks: 0, epoch: 0 }
}

test(`an indexer killed ${KILLS} times while catching up ends with the rows of an undisturbed run`, async () => {
  const databaseUrl = await testDatabase()
  const client = await connectTo(databaseUrl)
  const options = { place: { databaseUrl, redisUrl: null }, rpcUrl: node.url, dexConfigFile: devnet.dexConfigFile }
  const random = createRandom(inject('seed'))
  const stages: number[] = []
  const total = (await head()).number + 1
  for (let life = 0; life < KILLS; life++) {
    const before = await progress(client)
    // Some lives end before they cover anything.
    const share = random.integer(SHARE)
    // In some lives, another process fills history and ends with them. Most do without, because it has a low priority.
    const env = { HISTORY_THREADS: life % 4 === 3 ? '1' : '0' }
    const program = startProgram('indexer', { ...options, env })
    await expect
      .poll(async () => {
        const { epoch, blocks } = await progress(client)
        return { hasBegun: epoch > before.epoch, left: Math.max(before.blocks + share - blocks, 0) }
      }, LIFE)
      .toEqual({ hasBegun: true, left: 0 })
    await delay(random.integer(CHANCE_MS))
    await kill(program)
    stages.push((await progress(client)).blocks)
  }
  expect(stages.some((blocks) => blocks > 0)).toBe(true)
  expect(
    stages.every((blocks) => blocks < total),
    stages.join(' '),
  ).toBe(true)

  const deployment = deploymentOf(devnet, 'bsc')
  const { rpcUrl } = devnet.chains.bsc
  const last = await runIndexer({ databaseUrl, network: 'bsc', rpcUrl, deployment })
  await last.caughtUp(await head())
  await last.stop()
  const undisturbedUrl = await testDatabase()
  const undisturbed = await runIndexer({ databaseUrl: undisturbedUrl, network: 'bsc', rpcUrl, deployment })
  await undisturbed.caughtUp(await head())
  await undisturbed.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await dumpTables(undisturbedUrl))
}, 900_000)
