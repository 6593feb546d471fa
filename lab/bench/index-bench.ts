import { setTimeout as delay } from 'node:timers/promises'
import { NETWORKS } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { startApiLoad } from './api-load.ts'
import type { ApiRoutes, BenchOptions } from './bench-arguments.ts'
import { type BenchDatabase, startBenchDatabase, withClient } from './bench-database.ts'
import type { BenchResult } from './bench-result.ts'
import { startIndexer, startProgram, stopProgram } from './indexer-process.ts'
import type { NodePlan, ServedChain } from './node/node-messages.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import { preloadRows } from './preload-rows.ts'
import { type ProcessUsage, watchProcess } from './process-usage.ts'
import { freePort, readMetrics } from './read-metrics.ts'
import { haveSearchIndexes, readTradeSizes, readWalBytes, type TradeSizes } from './trade-sizes.ts'
import { verifyRows } from './verify-rows.ts'
import { poolsFor } from './world/world.ts'

const SWAPS_PER_BLOCK = 200
/** Three days, so that every run crosses days. */
const SPAN_S = 3 * 24 * 60 * 60
const FIRST_TIME = 1_700_000_000
const DAY_S = 86_400
const LOOK_EVERY_MS = 25

interface Run {
  /** From the first request to the node to the last committed row. */
  seconds: number
  usage: ProcessUsage
  databaseCpuSeconds: number
}

interface Scene {
  read: BenchOptions['read']
  node: NodeProcess
  chain: ServedChain
  database: BenchDatabase
  shutdown: Shutdown
}

/**
 * Indexes a made chain into an empty database, by the real program, and between two runs of the floor: the leanest
 * program that fetches the same and writes a row per swap. With `preload`, then into one that already holds rows; with
 * `besideApi`, then into an empty one that an API under full load reads, and once more without it.
 */
export async function benchIndex(
  { swaps, read, preload, besideApi, workers, profile }: BenchOptions,
  shutdown: Shutdown,
): Promise<BenchResult> {
  const blocks = Math.ceil(swaps / SWAPS_PER_BLOCK)
  say(`making ${swaps} swaps in ${blocks} blocks ...`)
  const plan: NodePlan = {
    networks: ['eth'],
    head: null,
    pools: poolsFor(swaps),
    chain: {
      seed: 1,
      swaps,
      swapsPerBlock: SWAPS_PER_BLOCK,
      otherTransactions: 50,
      firstTime: FIRST_TIME,
      blockTime: Math.max(1, Math.floor(SPAN_S / blocks)),
      keepStates: 256,
      receipts: read === 'receipts',
    },
  }
  const node = await startNode(plan, shutdown)
  const [chain] = node.served
  if (chain === undefined) throw new Error('no chain is served')
  const scene = { read, node, chain, database: await startBenchDatabase(shutdown), shutdown }
  const floors = [await runFloor(scene, 'floor_before')]
  const indexed = await runIndexer(scene, { name: 'indexed', workers, profile })
  floors.push(await runFloor(scene, 'floor_after'))
  const onFull = preload === 0 ? null : await runIndexer(scene, { name: 'preloaded', preload })
  const loaded = besideApi === null ? null : await runIndexer(scene, { name: 'beside_api', besideApi })
  const alone = [indexed]
  if (loaded !== null) alone.push(await runIndexer(scene, { name: 'indexed_again' }))
  return report(swaps, floors, { indexed, onFull, loaded, alone: meanSeconds(alone) })
}

async function runFloor({ read, node, chain, database, shutdown }: Scene, name: string): Promise<Run> {
  const { httpUrl, head, tally } = chain
  const url = await database.create(name, { migrated: false })
  await database.settle()
  const cpuBefore = database.cpuSeconds()
  say('floor ...')
  const started = node.nextRequest()
  const child = startProgram('lab/bench/dist/bench-floor.js', [httpUrl, url, String(head), read], shutdown)
  const stopWatching = watchProcess(child.pid ?? 0)
  const endedAt = await new Promise<number>((resolve, reject) => {
    child.once('message', ({ endedAt }: { endedAt: number }) => resolve(endedAt))
    child.once('exit', (code) => reject(new Error(`the floor ended with ${code}`)))
  })
  const usage = stopWatching()
  const databaseCpuSeconds = database.cpuSeconds() - cpuBefore
  await stopProgram(child)
  await withClient(url, shutdown, async (client) => {
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM floor_swap')
    if (rows[0]?.count !== tally.swapEvents) throw new Error(`the floor wrote ${rows[0]?.count} rows`)
  })
  return { seconds: (endedAt - (await started)) / 1000, usage, databaseCpuSeconds }
}

interface IndexedRun extends Run {
  sinceStart: number
  priced: number
  trades: number
  sizes: TradeSizes
  /** Bytes that the server's log of changes grew by. */
  walBytes: number
  proven: boolean
  /** Responses per second of the API beside it; null: no API ran. */
  responsesPerS: number | null
  /** Pools whose state was stored when all rows were, of all known pools. */
  pools: { withState: number; all: number }
}

interface RunOptions {
  name: string
  preload?: number
  besideApi?: ApiRoutes | null
  workers?: number | null
  profile?: string | null
}

async function runIndexer(
  { read, node, chain, database, shutdown }: Scene,
  { name, preload = 0, besideApi = null, workers = null, profile = null }: RunOptions,
): Promise<IndexedRun> {
  const databaseUrl = await database.create(name, { migrated: true })
  const traderDaysBefore = preload === 0 ? 0 : await preloadInto(databaseUrl, preload, shutdown)
  await database.settle()
  const load = besideApi === null ? null : await startApiLoad(databaseUrl, besideApi, shutdown)
  const cpuBefore = database.cpuSeconds()
  say('indexer ...')
  const firstRequest = node.nextRequest()
  const startedAt = Date.now()
  const metricsPort = await freePort()
  const env = { HISTORY_THREADS: String(workers ?? 0), METRICS_PORT: String(metricsPort) }
  const run = { databaseUrl, folder: database.folder, served: [chain], env, socket: false, profile }
  const indexer = startIndexer(run, shutdown)
  const stopWatching = watchProcess(indexer.pid ?? 0)
  try {
    return await withClient(databaseUrl, shutdown, async (client) => {
      const walBefore = await readWalBytes(client)
      while (!(await isComplete(client, chain.head))) {
        if (indexer.exitCode !== null) throw new Error(`the indexer ended with ${indexer.exitCode}`)
        await delay(LOOK_EVERY_MS)
      }
      const endedAt = performance.timeOrigin + performance.now()
      const usage = stopWatching()
      const responsesPerS = (await load?.stop()) ?? null
      while (!(await haveSearchIndexes(client))) {
        if (indexer.exitCode !== null) throw new Error(`the indexer ended with ${indexer.exitCode}`)
        await delay(LOOK_EVERY_MS)
      }
      const databaseCpuSeconds = database.cpuSeconds() - cpuBefore
      const walBytes = (await readWalBytes(client)) - walBefore
      const proven = await areProven(metricsPort, chain.head)
      if (proven !== (read === 'receipts')) throw new Error(`blocks read ${proven ? 'with' : 'without'} proof`)
      const pools = await countPools(client)
      await stopProgram(indexer)
      const priced = await verifyRows(client, NETWORKS.eth.chainId, chain.tally, traderDaysBefore)
      const { trades } = chain.tally
      const sizes = await readTradeSizes(client)
      const seconds = (endedAt - (await firstRequest)) / 1000
      return {
        seconds,
        sinceStart: (endedAt - startedAt) / 1000,
        usage,
        databaseCpuSeconds,
        priced,
        trades,
        sizes,
        walBytes,
        proven,
        responsesPerS,
        pools,
      }
    })
  } finally {
    stopWatching()
    await stopProgram(indexer)
  }
}

/** Rows in all the days of the chain and some before. */
async function preloadInto(databaseUrl: string, rows: number, shutdown: Shutdown): Promise<number> {
  say(`filling the tables with ${rows} rows ...`)
  const last = FIRST_TIME + SPAN_S
  return preloadRows(databaseUrl, { rows, lastDay: last - (last % DAY_S) }, shutdown)
}

/** Whether every block was read with its proof. */
async function areProven(metricsPort: number, head: number): Promise<boolean> {
  const metrics = await readMetrics(metricsPort)
  const count = (how: string) => metrics.get(`dexfeed_blocks_${how}_total{network="eth"}`) ?? 0
  return count('unproven') === 0 && count('proven') > head
}

async function isComplete(client: Client, head: number): Promise<boolean> {
  const { rows } = await client.query<{ complete: boolean }>(
    'SELECT EXISTS (SELECT FROM covered_range WHERE from_block = 0 AND to_block = $1) AS complete',
    [head],
  )
  return rows[0]?.complete ?? false
}

async function countPools(client: Client): Promise<IndexedRun['pools']> {
  const { rows } = await client.query<IndexedRun['pools']>(
    `SELECT (SELECT count(DISTINCT pool)::int FROM pool_state) AS "withState",
       (SELECT count(*)::int FROM pool) AS all`,
  )
  return rows[0] ?? { withState: 0, all: 0 }
}

interface Indexed {
  indexed: IndexedRun
  onFull: IndexedRun | null
  loaded: IndexedRun | null
  /** Seconds that it takes with nothing beside it, of the runs around `loaded`. */
  alone: number
}

function report(swaps: number, floors: readonly Run[], { indexed, onFull, loaded, alone }: Indexed): BenchResult {
  const speed = swaps / indexed.seconds
  const floorSpeed = swaps / meanSeconds(floors)
  const walPerTrade = Math.round(indexed.walBytes / indexed.trades)
  const usageOf = ({ usage, databaseCpuSeconds }: Run) =>
    `${usage.peakRssMb.toFixed(0)} MB, ${usage.cpuSeconds.toFixed(1)} CPU s (Postgres ${databaseCpuSeconds.toFixed(1)} CPU s)`
  return {
    table: [
      ['swaps', String(swaps)],
      ['trades (rows), with a value', `${indexed.trades}, ${indexed.priced}`],
      ['indexer', `${speed.toFixed(0)} swaps/s in ${indexed.seconds.toFixed(2)} s, ${usageOf(indexed)}`],
      ['  blocks proven', indexed.proven ? 'all' : 'not all'],
      ['  pools, with their state by then', `${indexed.pools.all}, ${indexed.pools.withState}`],
      ['  since the start of its process', `${indexed.sinceStart.toFixed(2)} s`],
      ['  bytes of disk a trade', `${indexed.sizes.perTrade}: ${indexed.sizes.text}`],
      ['  bytes of WAL a trade', String(walPerTrade)],
      ...floors.map(
        (run, i) =>
          [
            i === 0 ? 'floor before' : 'floor after',
            `${(swaps / run.seconds).toFixed(0)} swaps/s in ${run.seconds.toFixed(2)} s, ${usageOf(run)}`,
          ] as const,
      ),
      ['ratio', (speed / floorSpeed).toFixed(3)],
      ...(onFull === null ? [] : [againLine('indexer, on filled tables', swaps, indexed.seconds, onFull)]),
      ...(loaded === null ? [] : [againLine('indexer, beside a busy API', swaps, alone, loaded)]),
    ],
    figures: {
      swaps,
      swaps_per_s: Math.round(speed),
      floor_swaps_per_s: Math.round(floorSpeed),
      ratio: Number((speed / floorSpeed).toFixed(3)),
      peak_rss_mb: Math.round(indexed.usage.peakRssMb),
      disk_bytes_per_trade: indexed.sizes.perTrade,
      wal_bytes_per_trade: walPerTrade,
      proven: indexed.proven,
      ...(onFull === null ? {} : { preloaded_ratio: Number((indexed.seconds / onFull.seconds).toFixed(3)) }),
      ...(loaded === null ? {} : { beside_api_ratio: Number((alone / loaded.seconds).toFixed(3)) }),
    },
  }
}

function meanSeconds(runs: readonly Run[]): number {
  return runs.reduce((sum, { seconds }) => sum + seconds, 0) / runs.length
}

function againLine(name: string, swaps: number, alone: number, again: IndexedRun) {
  const { seconds, databaseCpuSeconds, responsesPerS } = again
  const share = (alone / seconds).toFixed(3)
  const text = `${(swaps / seconds).toFixed(0)} swaps/s in ${seconds.toFixed(2)} s (Postgres ${databaseCpuSeconds.toFixed(1)} CPU s), ${share} of the speed`
  const responses = responsesPerS === null ? '' : `, beside ${responsesPerS.toFixed(0)} responses a second`
  return [name, text + responses] as const
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
