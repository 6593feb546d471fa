import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
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
/** Longest time between a process's first commit or lease and its end. */
const LONGEST_LIFE_MS = 3_000
const dataDir = mkdtempSync(join(tmpdir(), 'dexfeed-kill-'))
const log = { info: () => undefined, warn: () => undefined }
let devnet: Devnet<'bsc'>
let node: SlowNode

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot(), 'scripts/build.mjs')])
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
  return spawn(process.execPath, [join(projectRoot(), 'dist/indexer.js')], {
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
    const { epoch } = await progress(client)
    const program = startProgram(databaseUrl)
    while ((await progress(client)).epoch === epoch) await delay(10)
    await delay(Math.random() * LONGEST_LIFE_MS)
    program.kill('SIGKILL')
    await once(program, 'exit')
    stages.push((await progress(client)).blocks)
  }
  await client.end()
  // The kills came while it was catching up: it went on from where it was, and was not done before.
  expect(stages.some((blocks) => blocks > 0 && blocks < total)).toBe(true)

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
}, 180_000)
