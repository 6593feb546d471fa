import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { DAY_S, HOUR_S, MINUTE, NETWORKS, SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import type { NetworkShape } from '../chain/made/shapes.ts'
import { computeUnitsOf, itemsOf, type PurposeUsage, usageBetween } from '../node/rpc/usage.ts'
import { type BenchDatabase, startBenchDatabase, withClient } from './bench-database.ts'
import { type BenchResult, rounded } from './bench-result.ts'
import { HeadWatch, PoolWatch, watchHeads } from './head-lag.ts'
import { type NodeProcess, startNodes } from './node-process.ts'
import type { BenchOptions } from './options.ts'
import { cpuOf, ownMemoryMb, watchProcess } from './process-usage.ts'
import { startApi, startIndexer, stopProgram } from './programs.ts'
import { freePort, readMetrics } from './read-metrics.ts'
import { watchStream } from './stream-lag.ts'
import { readTradeSizes, readWalBytes } from './trade-sizes.ts'

const SEED = 1
const POLL_MS = '250'
const LOOK_MS = 10 * SECOND
const WATCH_MS = SECOND

type Figures = Record<string, number | string | null>

const OVERALL: Readonly<Record<string, readonly [figure: string, join: (...values: number[]) => number]>> = {
  head_lag_p50_ms: ['head_lag_p50_ms', Math.max],
  head_lag_p99_ms: ['head_lag_p99_ms', Math.max],
  stream_lag_p50_ms: ['stream_lag_p50_ms', Math.max],
  stream_lag_p99_ms: ['stream_lag_p99_ms', Math.max],
  pool_event_p50_ms: ['pool_event_p50_ms', Math.max],
  pool_event_p99_ms: ['pool_event_p99_ms', Math.max],
  head_items_per_block: ['head_items_per_block', Math.max],
  refused_head: ['head_refused', sum],
  history_blocks_per_s: ['history_blocks_per_s', Math.min],
  week_hours: ['week_hours', Math.max],
  proof_ms_per_block: ['proof_ms_per_block', Math.max],
  blocks_archived: ['blocks_archived', sum],
}

export async function benchMainnet(options: BenchOptions, shutdown: Shutdown): Promise<BenchResult> {
  const { shapes: networks, minutes, poll, profile } = options
  const database = await startBenchDatabase(shutdown)
  const databaseUrl = await database.create('mainnet', { migrated: true })
  say(`making ${options.days} days of ${networks.map(({ network }) => network).join(', ')} ...`)
  const nodes = await startNodes(plansOf(options), () => Math.floor(Date.now() / SECOND), shutdown)
  const metricsPort = await freePort()
  const [heads, streamed] = [new HeadWatch(), new HeadWatch()]
  const newPools = new Map(networks.map(({ network }) => [network, new PoolWatch()]))
  return withClient(databaseUrl, shutdown, async (client) => {
    await watchHeads(client, heads)
    for (const { network, onShown, call } of nodes) {
      onShown((block) => {
        for (const watch of [heads, streamed]) watch.shown(NETWORKS[network].chainId, block)
        newPools.get(network)?.shown(block)
      })
      await call('go')
    }
    const startedAt = now()
    const env = environmentOf(options, nodes, metricsPort)
    const run = { databaseUrl, folder: database.folder, nodes, env, socket: !poll, profile }
    const indexer = startIndexer(run, shutdown)
    const { child: api, url } = await startApi(databaseUrl, shutdown)
    const stopWatching = [indexer, api].map(({ pid }) => watchProcess(pid ?? 0, WATCH_MS))
    const ended = new AbortController()
    const stream = watchStream(url, streamed, newPools, ended.signal)
    // Awaited below. Until then, a failure must not be reported as unhandled.
    stream.catch(() => undefined)
    const scene = { client, nodes, indexer, api, database, metricsPort, shutdown }
    await waitAndLook(scene, startedAt + options['warm-up'] * SECOND)
    const before = await count(scene)
    say(`measuring for ${minutes} minutes ...`)
    await waitAndLook(scene, before.at + minutes * MINUTE)
    const after = await count(scene)
    ended.abort()
    const [indexerUsage, apiUsage] = stopWatching.map((stop) => stop())
    await stream
    // Wait, so that the figures are the last output.
    await Promise.all([indexer, api].map(stopProgram))
    const ofNetworks = networks.map(({ network, shape }): Figures => {
      const { chainId } = NETWORKS[network]
      const [lag, pushed] = [heads, streamed].map((watch) => watch.lag(chainId, before.at, after.at))
      const created = newPools.get(network)?.lag(before.at, after.at)
      return {
        ...(lag && {
          head_lag_p50_ms: Math.round(lag.p50),
          head_lag_p99_ms: Math.round(lag.p99),
          head_lag_max_ms: Math.round(lag.max),
          head_blocks_behind: lag.behind,
        }),
        ...(pushed && { stream_lag_p50_ms: Math.round(pushed.p50), stream_lag_p99_ms: Math.round(pushed.p99) }),
        ...(created && {
          pools_created: created.pools,
          pool_event_p50_ms: Math.round(created.p50),
          pool_event_p99_ms: Math.round(created.p99),
        }),
        ...grownFigures(network, shape, before, after),
      }
    })
    const cpu = (name: keyof Counts['cpu']) =>
      rounded(((after.cpu[name] - before.cpu[name]) * SECOND) / (after.at - before.at), 2)
    const sizes = await readTradeSizes(client)
    const trades = ({ progress }: Counts) => progress.reduce((sum, one) => sum + one.trades, 0)
    return {
      figures: {
        preset: options.preset,
        history: options.history,
        ...Object.fromEntries(
          Object.entries(OVERALL).map(([name, [figure, join]]) => [name, joined(ofNetworks, figure, join)]),
        ),
        ...Object.assign({}, ...ofNetworks.map((figures, i) => prefixed(`${networks[i]?.network}_`, figures))),
        indexer_rss_mb: Math.round(indexerUsage?.peakRssMb ?? 0),
        api_rss_mb: Math.round(apiUsage?.peakRssMb ?? 0),
        postgres_own_mb: Math.round(ownMemoryMb(database.pid)),
        indexer_cpu: cpu('indexer'),
        api_cpu: cpu('api'),
        postgres_cpu: cpu('postgres'),
        bytes_per_row: sizes.perTrade,
        wal_bytes_per_row: Math.round((after.walBytes - before.walBytes) / Math.max(trades(after) - trades(before), 1)),
      },
      notes: [['bytes of disk per trade, tables + indexes', sizes.text]],
    }
  })
}

function plansOf({ shapes, days, budget, latency, history, 'no-receipts': noReceipts }: BenchOptions) {
  return shapes.map(({ network, shape }) => ({
    chain: { network, seed: SEED, shape, history: Math.ceil((days * DAY_S) / shape.blockTimeS) },
    limits: { budget, latencyMs: latency, receipts: !noReceipts },
    portal: history === 'portal',
  }))
}

function environmentOf(
  { budget, poll, workers }: BenchOptions,
  nodes: readonly NodeProcess[],
  metricsPort: number,
): Record<string, string> {
  const setting = (name: string, textOf: (node: NodeProcess) => string | null) =>
    Object.fromEntries(nodes.map((node) => [`${node.network.toUpperCase()}_${name}`, textOf(node) ?? '']))
  return {
    METRICS_PORT: String(metricsPort),
    HISTORY_THREADS: workers === null ? '' : String(workers),
    ...setting('HISTORY_URL', ({ portalUrl }) => portalUrl),
    ...(poll && { POLL_MS }),
    ...(budget.rate !== null && setting('RPC_RATE', () => `${budget.rate}:${budget.burst}`)),
  }
}

interface Scene {
  client: Client
  nodes: readonly NodeProcess[]
  indexer: ChildProcess
  api: ChildProcess
  database: BenchDatabase
  metricsPort: number
  shutdown: Shutdown
}

interface Progress {
  history: number
  pools: number
  pools_with_state: number
  trades: number
}

/**
 * Prints progress until the given time.
 *
 * @throws if a program ends
 */
async function waitAndLook({ client, nodes, indexer, api, shutdown }: Scene, until: number): Promise<void> {
  while (now() < until) {
    await delay(Math.min(LOOK_MS, Math.max(0, until - now())), undefined, { signal: shutdown.signal })
    for (const child of [indexer, api]) {
      if (child.exitCode !== null) throw new Error(`${child.spawnargs[1]} ended with ${child.exitCode}`)
    }
    for (const node of nodes) say(`${node.network} ${JSON.stringify(await readProgress(client, node))}`)
  }
}

async function readProgress(client: Client, { network, firstHead }: NodeProcess): Promise<Progress> {
  const { rows } = await client.query<Progress>(
    `SELECT
       (SELECT coalesce(sum(least(to_block, $2) - from_block + 1), 0)::int FROM covered_range
         WHERE chain_id = $1 AND from_block <= $2) AS history,
       (SELECT count(*)::int FROM pool WHERE chain_id = $1) AS pools,
       (SELECT count(DISTINCT pool)::int FROM pool_state WHERE chain_id = $1) AS pools_with_state,
       (SELECT coalesce(sum(swaps), 0)::int FROM day_total WHERE chain_id = $1) AS trades`,
    [NETWORKS[network].chainId, firstHead],
  )
  return rows[0] ?? { history: 0, pools: 0, pools_with_state: 0, trades: 0 }
}

async function count({ client, nodes, indexer, api, database, metricsPort }: Scene) {
  const at = now()
  const counted = await Promise.all(nodes.map(({ call }) => call('count')))
  const progress: Progress[] = []
  for (const node of nodes) progress.push(await readProgress(client, node))
  return {
    at,
    progress,
    walBytes: await readWalBytes(client),
    metrics: await readMetrics(metricsPort),
    nodes: new Map(nodes.map(({ network }, i) => [network, { counted: counted[i], progress: progress[i] }])),
    cpu: {
      indexer: cpuOf(indexer.pid ?? 0),
      api: cpuOf(api.pid ?? 0),
      postgres: database.cpuSeconds(),
    },
  }
}

type Counts = Awaited<ReturnType<typeof count>>

function grownFigures(network: NodeProcess['network'], shape: NetworkShape, before: Counts, after: Counts): Figures {
  const [earlier, later] = [before.nodes.get(network), after.nodes.get(network)]
  if (!earlier?.counted || !later?.counted || !earlier.progress || !later.progress) {
    throw new Error(`the node of ${network} was not counted`)
  }
  const metric = (name: string) => `dexfeed_${name}_total{network="${network}"}`
  const grown = (name: string) => (after.metrics.get(metric(name)) ?? 0) - (before.metrics.get(metric(name)) ?? 0)
  const seconds = (after.at - before.at) / SECOND
  const perDay = (amount: number) => Math.round((amount * DAY_S) / seconds)
  const used = usageBetween(earlier.counted.usage, later.counted.usage)
  const speed = (later.progress.history - earlier.progress.history) / seconds
  const total = (of: (usage: PurposeUsage) => number) =>
    perDay(Object.values(used).reduce((sum, usage) => sum + of(usage), 0))
  const { portal } = later.counted
  return {
    blocks_proven: grown('blocks_proven'),
    blocks_unproven: grown('blocks_unproven'),
    head_items_per_block: rounded(itemsOf(used.head) / Math.max(1, later.counted.head - earlier.counted.head), 2),
    ...Object.assign(
      {},
      ...Object.entries(used).map(([purpose, usage]) => ({
        [`${purpose}_items`]: itemsOf(usage),
        [`${purpose}_refused`]: usage.refused,
        [`${purpose}_compute_units_per_day`]: perDay(computeUnitsOf(usage)),
        [`${purpose}_bytes_per_day`]: perDay(usage.bytes),
      })),
    ),
    items_per_day: total(itemsOf),
    compute_units_per_day: total(computeUnitsOf),
    bytes_per_day: total(({ bytes }) => bytes),
    history_blocks_per_s: rounded(speed, 2),
    ...(speed > 0 && { week_hours: rounded((7 * DAY_S) / shape.blockTimeS / speed / HOUR_S, 2) }),
    blocks_archived: grown('blocks_archived'),
    archived_in_all: after.metrics.get(metric('blocks_archived')) ?? 0,
    ...(portal !== null && {
      portal_answers: portal.served - (earlier.counted.portal?.served ?? 0),
      portal_refused: portal.refused - (earlier.counted.portal?.refused ?? 0),
    }),
    ...(grown('proofs') > 0 && { proof_ms_per_block: rounded((grown('proof_seconds') * SECOND) / grown('proofs'), 2) }),
    ...later.progress,
  }
}

function joined(ofNetworks: readonly Figures[], name: string, join: (...values: number[]) => number): number | null {
  const values = ofNetworks.map((figures) => figures[name])
  return values.every((value) => typeof value === 'number') ? join(...values) : null
}

function sum(...values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [prefix + name, value]))
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
