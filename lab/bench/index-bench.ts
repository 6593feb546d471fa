import { setTimeout as delay } from 'node:timers/promises'
import { DAY_S, SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { compareRows, expectedRows } from '@dexfeed/test/expected/rows'
import type { Client } from 'pg'
import { type ChainPlan, MadeWorld } from '../chain/made/made-chain.ts'
import { PLAIN } from '../chain/made/shapes.ts'
import { madeRows } from '../expected.ts'
import { NO_LIMIT } from '../node/rpc/budget.ts'
import { type BenchDatabase, startBenchDatabase, withClient } from './bench-database.ts'
import { type BenchResult, rounded } from './bench-result.ts'
import { fillWeek } from './fill-trades.ts'
import { inTurn, loadServer } from './load.ts'
import { type NodeProcess, startNodes } from './node-process.ts'
import type { BenchOptions } from './options.ts'
import { type ProcessUsage, watchProcess } from './process-usage.ts'
import { startApi, startIndexer, startProgram, stopProgram } from './programs.ts'
import { freePort, readMetrics } from './read-metrics.ts'
import { haveSearchIndexes, readTradeSizes, readWalBytes, type TradeSizes } from './trade-sizes.ts'

/** Long enough that every run crosses midnight. */
const SPAN_S = 3 * DAY_S
const HEAD_TIME = 1_700_000_000 + SPAN_S
const CYCLE = 1_000
const SWAPS_PER_POOL = 50
const [MIN_POOLS, MAX_POOLS] = [400, 20_000]
const LOOK_EVERY_MS = 25
const API_CONNECTIONS = 50
const CONTRACT = ['/api/trade_volume_usd_7d', '/api/swaps_24h?limit=100']
const API_PATHS = { contract: CONTRACT, all: [...CONTRACT, '/v1/swaps?network=eth&limit=100'] }

interface Run {
  /** From the first request to the last committed row. */
  seconds: number
  usage: ProcessUsage
  databaseCpuSeconds: number
}

interface Scene {
  read: BenchOptions['read']
  node: NodeProcess
  world: MadeWorld
  database: BenchDatabase
  shutdown: Shutdown
}

/**
 * Indexes a made chain with the real program, between two runs of the floor. `preload` adds a run on a database with
 * rows. `besideApi` adds a run beside a loaded API and another without it.
 */
export async function benchIndex(
  { swaps, read, preload, 'beside-api': besideApi, workers, profile }: BenchOptions,
  shutdown: Shutdown,
): Promise<BenchResult> {
  const plan = planOf(swaps)
  say(`making ${plan.history + 1} blocks ...`)
  const limits = { budget: NO_LIMIT, latencyMs: 0, receipts: read === 'receipts' }
  const [node] = await startNodes([{ chain: plan, limits, portal: false }], () => HEAD_TIME, shutdown)
  if (node === undefined) throw new Error('no chain is served')
  const scene = { read, node, world: new MadeWorld(plan), database: await startBenchDatabase(shutdown), shutdown }
  const floors = [await runFloor(scene, 'floor_before')]
  const indexed = await runIndexer(scene, { name: 'indexed', workers, profile })
  floors.push(await runFloor(scene, 'floor_after'))
  const onFull = preload === 0 ? null : await runIndexer(scene, { name: 'preloaded', preload })
  const loaded = besideApi === null ? null : await runIndexer(scene, { name: 'beside_api', besideApi })
  const alone = [indexed]
  if (loaded !== null) alone.push(await runIndexer(scene, { name: 'indexed_again' }))
  const made = floors[0]?.swaps ?? 0
  const [speed, floorSpeed] = [made / indexed.seconds, made / meanSeconds(floors)]
  return {
    figures: {
      swaps: made,
      swaps_per_s: Math.round(speed),
      floor_swaps_per_s: Math.round(floorSpeed),
      ratio: rounded(speed / floorSpeed, 3),
      peak_rss_mb: Math.round(indexed.usage.peakRssMb),
      disk_bytes_per_trade: indexed.sizes.perTrade,
      wal_bytes_per_trade: Math.round(indexed.walBytes / indexed.sizes.rows),
      proven: indexed.proven,
      ...(onFull !== null && { preloaded_ratio: rounded(indexed.seconds / onFull.seconds, 3) }),
      ...(loaded !== null && {
        beside_api_ratio: rounded(meanSeconds(alone) / loaded.seconds, 3),
        api_responses_per_s: Math.round(loaded.responsesPerS ?? 0),
      }),
    },
    notes: [
      ['trades (rows)', String(indexed.sizes.rows)],
      ['indexer', usageText(indexed)],
      ['floor', floors.map(usageText).join('; ')],
      ['bytes of disk per trade, tables + indexes', indexed.sizes.text],
    ],
  }
}

function planOf(swaps: number): ChainPlan {
  const blocks = Math.ceil(swaps / PLAIN.swaps)
  const pools = 2 * Math.floor(Math.min(MAX_POOLS, Math.max(MIN_POOLS, swaps / SWAPS_PER_POOL)) / 2)
  const blockTimeS = Math.max(1, Math.floor(SPAN_S / blocks))
  const shape = { ...PLAIN, pools, blockTimeS, cycle: Math.min(blocks, CYCLE) }
  return { network: 'eth', seed: 1, shape, history: blocks - 1 }
}

async function runFloor(scene: Scene, name: string): Promise<Run & { swaps: number }> {
  const { read, node, world, database, shutdown } = scene
  const url = await database.create(name, { migrated: false })
  await database.settle()
  await node.call('count')
  const cpuBefore = database.cpuSeconds()
  say('floor ...')
  const args = [node.httpUrl, url, String(world.first), String(world.firstHead), read]
  const child = startProgram('lab/dist/bench-floor.js', args, shutdown)
  const stopWatching = watchProcess(child.pid ?? 0)
  const endedAt = await new Promise<number>((resolve, reject) => {
    child.once('message', ({ endedAt }: { endedAt: number }) => resolve(endedAt))
    child.once('exit', (code) => reject(new Error(`the floor ended with ${code}`)))
  })
  const usage = stopWatching()
  const databaseCpuSeconds = database.cpuSeconds() - cpuBefore
  await stopProgram(child)
  const swaps = await withClient(url, shutdown, async (client) => {
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM floor_swap')
    return rows[0]?.count ?? 0
  })
  return { seconds: await secondsUntil(endedAt, node), usage, databaseCpuSeconds, swaps }
}

interface IndexedRun extends Run {
  sizes: TradeSizes
  walBytes: number
  proven: boolean
  responsesPerS: number | null
}

interface RunOptions {
  name: string
  preload?: number
  besideApi?: BenchOptions['beside-api']
  workers?: number | null
  profile?: string | null
}

async function runIndexer(
  scene: Scene,
  { name, preload = 0, besideApi = null, workers = null, profile = null }: RunOptions,
): Promise<IndexedRun> {
  const { read, node, world, database, shutdown } = scene
  const databaseUrl = await database.create(name, { migrated: true })
  if (preload > 0) {
    say(`filling the tables with ${preload} rows ...`)
    await fillWeek(databaseUrl, preload, HEAD_TIME - (HEAD_TIME % DAY_S), shutdown)
  }
  await database.settle()
  const stopLoad = besideApi === null ? null : await startApiLoad(databaseUrl, besideApi, shutdown)
  const cpuBefore = database.cpuSeconds()
  say('indexer ...')
  await node.call('count')
  const metricsPort = await freePort()
  const env = { HISTORY_THREADS: String(workers ?? 0), METRICS_PORT: String(metricsPort) }
  const run = { databaseUrl, folder: database.folder, nodes: [node], env, socket: false, profile }
  const indexer = startIndexer(run, shutdown)
  const stopWatching = watchProcess(indexer.pid ?? 0)
  const until = async (isDone: () => Promise<boolean>) => {
    while (!(await isDone())) {
      if (indexer.exitCode !== null) throw new Error(`the indexer ended with ${indexer.exitCode}`)
      await delay(LOOK_EVERY_MS)
    }
  }
  try {
    return await withClient(databaseUrl, shutdown, async (client) => {
      const walBefore = await readWalBytes(client)
      await until(() => isCovered(client, world))
      const endedAt = performance.timeOrigin + performance.now()
      const usage = stopWatching()
      const responsesPerS = (await stopLoad?.()) ?? null
      await until(() => haveSearchIndexes(client))
      const databaseCpuSeconds = database.cpuSeconds() - cpuBefore
      const walBytes = (await readWalBytes(client)) - walBefore
      const proven = await areProven(metricsPort, world.firstHead - world.first + 1)
      if (proven !== (read === 'receipts')) throw new Error(`blocks read ${proven ? 'with' : 'without'} proof`)
      await stopProgram(indexer)
      say('comparing the rows with the chain ...')
      const differences = await compareRows(client, expectedRows([madeRows(world, HEAD_TIME)]))
      if (differences.length > 0) throw new Error(differences.join('\n'))
      const seconds = await secondsUntil(endedAt, node)
      return {
        seconds,
        usage,
        databaseCpuSeconds,
        sizes: await readTradeSizes(client),
        walBytes,
        proven,
        responsesPerS,
      }
    })
  } finally {
    stopWatching()
    await stopProgram(indexer)
  }
}

/** The returned function stops the API and returns its responses per second. */
async function startApiLoad(
  databaseUrl: string,
  routes: keyof typeof API_PATHS,
  shutdown: Shutdown,
): Promise<() => Promise<number>> {
  const { child, url } = await startApi(databaseUrl, shutdown)
  const path = inTurn(API_PATHS[routes])
  let isOver = false
  let [responses, seconds] = [0, 0]
  const loading = (async () => {
    while (!isOver) {
      const load = await loadServer(url, { path, connections: API_CONNECTIONS, ms: SECOND }, shutdown.signal)
      responses += load.responses - load.failures
      seconds += load.seconds
    }
  })()
  // The returned function awaits `loading` and throws its error.
  loading.catch(() => undefined)
  return async () => {
    isOver = true
    await loading
    await stopProgram(child)
    return responses / seconds
  }
}

async function secondsUntil(endedAt: number, node: NodeProcess): Promise<number> {
  const { firstRequestAt } = await node.call('count')
  if (firstRequestAt === null) throw new Error('the node got no request')
  return (endedAt - firstRequestAt) / 1000
}

async function areProven(metricsPort: number, blocks: number): Promise<boolean> {
  const metrics = await readMetrics(metricsPort)
  const count = (how: string) => metrics.get(`dexfeed_blocks_${how}_total{network="eth"}`) ?? 0
  return count('unproven') === 0 && count('proven') >= blocks
}

async function isCovered(client: Client, { first, firstHead }: MadeWorld): Promise<boolean> {
  const { rows } = await client.query<{ covered: boolean }>(
    'SELECT EXISTS (SELECT FROM covered_range WHERE from_block = $1 AND to_block = $2) AS covered',
    [first, firstHead],
  )
  return rows[0]?.covered ?? false
}

function meanSeconds(runs: readonly Run[]): number {
  return runs.reduce((sum, { seconds }) => sum + seconds, 0) / runs.length
}

function usageText({ seconds, usage, databaseCpuSeconds }: Run): string {
  const cpu = `${usage.cpuSeconds.toFixed(1)} CPU s (Postgres ${databaseCpuSeconds.toFixed(1)})`
  return `${seconds.toFixed(2)} s, ${usage.peakRssMb.toFixed(0)} MB, ${cpu}`
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
