import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Devnet } from '@dexfeed/devnet'
import { run } from '@dexfeed/indexer/commands/backfill'
import { environmentOf, kill, type ProgramOptions, startWorker } from '@dexfeed/indexer/test/programs'
import { openTestPlace } from '@dexfeed/indexer/test/queue-places'
import { deploymentOf, headOf, runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { type SlowNode, startSlowNode } from '@dexfeed/indexer/test/slow-node'
import { testDevnet } from '@dexfeed/indexer/test/test-devnet'
import { createLogger, isProcessAlive, startEmbeddedPostgres } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'
import { closeAfter, connectTo, queryOnce, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { hasRedis } from '@dexfeed/test-setup/redis-server'
import { runCommand } from '@dexfeed/test-setup/run-command'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { openTcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import type { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { chainFacts } from './expected/chain-facts.ts'
import { usd } from './expected/responses.ts'

const DAYS = 7
/** Enough blocks that the worker, which commits up to 50 at once, is not done after the third part. */
const BLOCKS = 400
const FINALITY_DEPTH = 64
const log = createLogger({ name: 'test', level: 'fatal' })
let devnet: Devnet<'bsc'>
let node: SlowNode

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['bsc'], historyDays: DAYS, historyBlocks: BLOCKS })
  node = await startSlowNode(devnet.chains.bsc.rpcUrl, { maxBlocks: 4, delayMs: 200 })
})

async function progress(client: Client): Promise<{ covered: number; required: number; start: number }> {
  const { rows } = await client.query<{ covered: number; required: number; start: number }>(
    `SELECT coalesce((SELECT sum(least(to_block, final_number) - from_block + 1) FROM covered_range
       WHERE from_block <= final_number), 0)::int AS covered,
       (final_number - start_block + 1)::int AS required, start_block::int AS start FROM network`,
  )
  return rows[0] ?? { covered: 0, required: 0, start: 0 }
}

async function waitForProgress(client: Client): Promise<void> {
  const before = await progress(client)
  let now = before
  for (; now.covered <= before.covered && now.covered < now.required; now = await progress(client)) await delay(20)
  expect(now.covered).toBeLessThan(now.required)
}

const SWAPS = `SELECT concat_ws(' ', block_number, transaction_index, position, encode(tx_hash, 'hex'), encode(trader, 'hex'),
  encode(sell_token, 'hex'), sell_native::text, sell_amount, encode(buy_token, 'hex'), buy_native::text, buy_amount,
  coalesce(volume_usd::text, '')) AS line FROM swap ORDER BY block_number, transaction_index, position`

async function expectedSwaps(start: number): Promise<string[]> {
  const { trades } = await chainFacts(devnet.chains.bsc)
  let [last, position] = ['', 0]
  return trades
    .filter(({ block }) => block.number >= start)
    .map(({ block, transaction: { index, hash, from }, sell, buy, usdE8 }) => {
      position = hash === last ? position + 1 : 0
      last = hash
      const place = [block.number, index, position, hash.slice(2), from.slice(2)]
      const legs = [sell, buy].flatMap(({ token, native, amount }) => [token.slice(2), native, amount])
      return [...place, ...legs, usdE8 === null ? '' : usd(usdE8)].join(' ')
    })
}

//  backfill --days  [worker killed]  [Postgres killed]  [Redis flushed]   complete
test.skipIf(!hasRedis())('a backfill that loses worker, database and queue completes by itself', async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const home = join(folder, 'postgres')
  const first = await startEmbeddedPostgres({ home, durable: true, log })
  closeAfter(() => first.release())
  const proxy = await openTcpProxy(first.url)
  const databaseUrl = proxy.url
  await migrate(databaseUrl, { log })
  const redis = await openTestPlace('Redis')
  const head = await headOf(devnet.chains.bsc)
  const place = redis.at(databaseUrl)
  const options: ProgramOptions = { place, rpcUrl: node.url, dexConfigFile: devnet.dexConfigFile }
  const onChain = {
    network: 'bsc',
    rpcUrl: devnet.chains.bsc.rpcUrl,
    deployment: deploymentOf(devnet, 'bsc'),
  } as const
  const startBlock = head.number - FINALITY_DEPTH
  const follower = await runIndexer({ ...place, ...onChain, startBlock, role: 'follow' })
  await follower.follows(head)
  const queued = await runCommand(run, ['--network', 'bsc', '--days', String(DAYS)], environmentOf(options))
  expect(queued).toMatchObject({ exitCode: 0 })
  const client = await connectTo(databaseUrl)
  const { start, required } = await progress(client)
  expect(required).toBeGreaterThan(BLOCKS / 4)

  const worker = startWorker(options)
  await waitForProgress(client)
  await kill(worker)
  await redis.unlock(databaseUrl)
  const other = await runIndexer({ ...place, ...onChain, rpcUrl: node.url, role: 'backfill' })
  await waitForProgress(client)
  // Pause the node, so that the worker still has blocks to read when the database is back.
  const resume = node.pause()
  process.kill(first.pid, 'SIGQUIT')
  while (isProcessAlive(first.pid)) await delay(20)
  const second = await startEmbeddedPostgres({ home, durable: true, log })
  closeAfter(() => second.release())
  proxy.lead(Number(new URL(second.url).port))
  resume()
  const again = await connectTo(databaseUrl)
  await waitForProgress(again)
  await redis.flush(databaseUrl)
  const isComplete = async () => {
    const now = await progress(again)
    const pools = `SELECT FROM pool WHERE address NOT IN (SELECT pool FROM pool_state)`
    return now.covered === required && (await queryOnce(databaseUrl, pools)).length === 0
  }
  while (!(await isComplete())) await delay(250)
  await follower.stop()
  await other.stop()
  const swaps = (await queryOnce<{ line: string }>(databaseUrl, SWAPS)).map(({ line }) => line)
  const tables = await dumpTables(databaseUrl)

  expect(swaps).toEqual(await expectedSwaps(start))
  expect(swaps.length).toBeGreaterThan(BLOCKS)
  const undisturbedUrl = await testDatabase()
  const undisturbed = await runIndexer({ databaseUrl: undisturbedUrl, ...onChain, startBlock: start })
  await undisturbed.caughtUp(head)
  await undisturbed.stop()
  expect(tables).toEqual(await dumpTables(undisturbedUrl))
})
