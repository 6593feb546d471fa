import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Devnet, startDevnet } from '@dexfeed/devnet'
import { projectRoot } from '@dexfeed/service'
import { testDatabase } from '@dexfeed/test-setup'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentOf, headOf, runIndexer } from './run-indexer.ts'
import { type SlowNode, startSlowNode } from './slow-node.ts'
import { dumpTables } from './table-dump.ts'

const KILLS = 20
/** How much of a life is left to chance once it has covered what it was to cover. */
const CHANCE_MS = 60
const dataDir = mkdtempSync(join(tmpdir(), 'dexfeed-kill-'))
const log = { info: () => undefined, warn: () => undefined }
let devnet: Devnet<'bsc'>
let node: SlowNode

beforeAll(async () => {
  devnet = await startDevnet({ dataDir, log, networks: ['bsc'], historyBlocks: 300 })
  node = await startSlowNode(devnet.chains.bsc.rpcUrl, { maxBlocks: 5, delayMs: 15 })
}, 90_000)

afterAll(async () => {
  await node.close()
  await devnet.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** The indexer as operators run it, in a process of its own. */
function startProgram(databaseUrl: string): ChildProcess {
  return spawn(process.execPath, [join(projectRoot(), 'apps/indexer/dist/indexer.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      DATABASE_URL: databaseUrl,
      BSC_RPC_URL: node.url,
      DEX_CONFIG: devnet.dexConfigFile,
      START_BLOCK: 'bsc:0',
      POLL_MS: '50',
      LOG_LEVEL: 'fatal',
    },
  })
}

const head = () => headOf(devnet.chains.bsc)

/** Blocks that are covered, and the epoch of the last writer. */
async function progress(client: pg.Client) {
  const { rows } = await client.query<{ blocks: number; epoch: number }>(
    `SELECT coalesce((SELECT sum(to_block - from_block + 1) FROM covered_range), 0)::int AS blocks,
       coalesce((SELECT max(writer_epoch) FROM network), 0)::int AS epoch`,
  )
  return rows[0] ?? { blocks: 0, epoch: 0 }
}

test(`an indexer killed ${KILLS} times while catching up ends with the rows of an undisturbed run`, async () => {
  const databaseUrl = await testDatabase()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const stages: number[] = []
  const total = (await head()).number + 1
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await progress(client)
    // Some lives end before they cover anything, none gets more than its share, so that all end while catching up.
    const share = Math.floor((Math.random() * total) / (2 * KILLS))
    const hasLived = ({ epoch, blocks }: typeof before) => epoch > before.epoch && blocks >= before.blocks + share
    const program = startProgram(databaseUrl)
    while (!hasLived(await progress(client))) await delay(5)
    await delay(Math.random() * CHANCE_MS)
    program.kill('SIGKILL')
    await once(program, 'exit')
    stages.push((await progress(client)).blocks)
  }
  await client.end()
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
}, 300_000)
