import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { DAY_S, MINUTE, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { type BenchDatabase, startBenchDatabase, withClient } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { startApi, startIndexer, stopProgram } from '../indexer-process.ts'
import { cpuOf, ownMemoryMb, watchProcess } from '../process-usage.ts'
import { freePort, readMetrics } from '../read-metrics.ts'
import { readTradeSizes, readWalBytes } from '../trade-sizes.ts'
import { MadeWorld } from './made/world/made-world.ts'
import type { MainnetOptions } from './mainnet-options.ts'
import { reportMainnet } from './mainnet-report.ts'
import type { Counts, WatchedNetwork } from './measure/counts.ts'
import { HeadWatch, watchHeads } from './measure/head-lag.ts'
import { type Progress, readProgress } from './measure/progress.ts'
import { watchStream } from './measure/stream-lag.ts'
import { startMainnetNode } from './node-process.ts'

const SEED = 1
const POLL_MS = '250'
const LOOK_MS = 10 * SECOND
const WATCH_MS = SECOND

/** The options of the command line for this benchmark. */
interface MainnetRun {
  mainnet: MainnetOptions
  /** Heads by polling instead of WebSocket. */
  poll: boolean
  /** `HISTORY_THREADS` of the indexer; null: its default. */
  workers: number | null
  /** Folder for a CPU profile of the indexer; null: none. */
  profile: string | null
}

/**
 * Runs the real indexer and the real API for some minutes on nodes that are shaped like real networks, from an empty
 * database. Measures their requests to the nodes, the lag of the head, and their progress.
 */
export async function benchMainnet(
  { mainnet, poll, workers, profile }: MainnetRun,
  shutdown: Shutdown,
): Promise<BenchResult> {
  const database = await startBenchDatabase(shutdown)
  const databaseUrl = await database.create('mainnet', { migrated: true })
  const watched = await startNodes(mainnet, shutdown)
  const metricsPort = await freePort()
  const served = watched.map(({ network, node }) => ({ network, ...node }))
  const run = { databaseUrl, folder: database.folder, served }
  const [heads, streamed] = [new HeadWatch(), new HeadWatch()]
  return withClient(databaseUrl, shutdown, async (client) => {
    await watchHeads(client, heads)
    for (const { network, node } of watched) {
      const { chainId } = NETWORKS[network]
      node.go((number, at) => {
        for (const watch of [heads, streamed]) watch.shown(chainId, { number, at })
      })
    }
    const startedAt = now()
    const env = environmentOf(mainnet, watched, { metricsPort, poll, workers })
    const indexer = startIndexer({ ...run, env, socket: !poll, profile }, shutdown)
    const { child: api, url } = await startApi(databaseUrl, shutdown)
    const stopWatching = [indexer, api].map(({ pid }) => watchProcess(pid ?? 0, WATCH_MS))
    const ended = new AbortController()
    const stream = watchStream(url, streamed, ended.signal)
    // A failure is reported at the end, where this is awaited.
    stream.catch(() => undefined)
    const processes = { indexer, api, database }
    const scene = { client, watched, processes, metricsPort, startedAt, shutdown }
    await waitAndLook(scene, startedAt + mainnet.warmUpS * SECOND)
    const before = await count(scene)
    say(`measuring for ${mainnet.minutes} minutes ...`)
    await waitAndLook(scene, before.at + mainnet.minutes * MINUTE)
    const after = await count(scene)
    ended.abort()
    const [indexerUsage, apiUsage] = stopWatching.map((stop) => stop())
    const memory = {
      indexer: indexerUsage?.peakRssMb ?? 0,
      api: apiUsage?.peakRssMb ?? 0,
      postgres: ownMemoryMb(database.pid),
    }
    await stream
    // Their last output comes before the figures.
    await Promise.all([indexer, api].map(stopProgram))
    return reportMainnet({
      options: mainnet,
      poll,
      watched,
      heads,
      streamed,
      before,
      after,
      sizes: await readTradeSizes(client),
      memory,
    })
  })
}

async function startNodes(options: MainnetOptions, shutdown: Shutdown): Promise<WatchedNetwork[]> {
  say(`making ${options.days} days of ${options.networks.map(({ network }) => network).join(', ')} ...`)
  const allMade = whenAllCalled(options.networks.length, () => Math.floor(Date.now() / SECOND))
  return Promise.all(
    options.networks.map(async ({ network, shape }): Promise<WatchedNetwork> => {
      const history = Math.ceil((options.days * DAY_S) / shape.blockTimeS)
      const { budget, latencyMs, receipts } = options
      const portal = options.history === 'portal'
      const plan = { chain: { network, seed: SEED, shape, history }, budget, latencyMs, receipts, portal }
      const world = new MadeWorld(plan.chain)
      return { network, shape, world, node: await startMainnetNode(plan, allMade, shutdown), progress: [] }
    }),
  )
}

/** Returns a function that waits until it was called `count` times; then all callers get the same value. */
function whenAllCalled<T>(count: number, give: () => T): () => Promise<T> {
  let called = 0
  let settle: (given: T) => void = () => undefined
  const given = new Promise<T>((resolve) => {
    settle = resolve
  })
  return () => {
    called++
    if (called === count) settle(give())
    return given
  }
}

/** Returns settings of the indexer. It ignores those that it does not know. */
function environmentOf(
  { budget }: MainnetOptions,
  watched: readonly WatchedNetwork[],
  { metricsPort, poll, workers }: Pick<MainnetRun, 'poll' | 'workers'> & { metricsPort: number },
): Record<string, string> {
  const rates = watched.map(({ network }) => [`${network.toUpperCase()}_RPC_RATE`, `${budget.rate}:${budget.burst}`])
  const portals = watched.flatMap(({ network, node: { portalUrl } }) =>
    portalUrl === null ? [] : [[`${network.toUpperCase()}_HISTORY_URL`, portalUrl]],
  )
  return {
    START_BLOCK: watched.map(({ network, node }) => `${network}:${node.first}`).join(','),
    METRICS_PORT: String(metricsPort),
    HISTORY_THREADS: workers === null ? '' : String(workers),
    ...Object.fromEntries(portals),
    ...(poll && { POLL_MS }),
    ...(budget.rate !== null && Object.fromEntries(rates)),
  }
}

interface Scene {
  client: Client
  watched: readonly WatchedNetwork[]
  processes: { indexer: ChildProcess; api: ChildProcess; database: BenchDatabase }
  metricsPort: number
  startedAt: number
  shutdown: Shutdown
}

/** Records the progress of the indexer until a time. @throws if a program ends */
async function waitAndLook({ client, watched, processes, startedAt, shutdown }: Scene, until: number): Promise<void> {
  while (now() < until) {
    await delay(Math.min(LOOK_MS, Math.max(0, until - now())), undefined, { signal: shutdown.signal })
    for (const child of [processes.indexer, processes.api]) {
      if (child.exitCode !== null) throw new Error(`${child.spawnargs[1]} ended with ${child.exitCode}`)
    }
    for (const one of watched) {
      const progress = await readProgress(client, progressOf(one))
      const afterS = Math.round((now() - startedAt) / SECOND)
      one.progress.push({ afterS, progress })
      const { history, pools, withState, topWithState, dailyWithState } = progress
      say(
        `${afterS} s ${one.network}: ${history} blocks of history, ${withState} of ${pools} pools read, ${topWithState} of the top, ${dailyWithState} of those of the day`,
      )
    }
  }
}

async function count({ client, watched, processes, metricsPort }: Scene): Promise<Counts> {
  const { indexer, api, database } = processes
  const at = now()
  const nodes = await Promise.all(watched.map(async ({ network, node }) => [network, await node.count()] as const))
  const progress = new Map<NetworkName, Progress>()
  for (const one of watched) progress.set(one.network, await readProgress(client, progressOf(one)))
  return {
    at,
    nodes: new Map(nodes),
    progress,
    walBytes: await readWalBytes(client),
    metrics: await readMetrics(metricsPort),
    cpu: {
      indexer: cpuOf(indexer.pid ?? 0),
      api: cpuOf(api.pid ?? 0),
      postgres: database.cpuSeconds(),
      nodes: watched.reduce((sum, { node }) => sum + cpuOf(node.pid), 0),
    },
  }
}

function progressOf({ network, world: { firstHead, market } }: WatchedNetwork) {
  return { chainId: NETWORKS[network].chainId, firstHead, daily: market.confirmed.map(({ address }) => address) }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
