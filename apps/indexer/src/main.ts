import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { type Budget, type Chain, openBudgets, openChain, WrongChainId } from '@dexfeed/chain'
import { emittersOf, type NetworkName, SECOND } from '@dexfeed/dex'
import {
  assertPortsFree,
  type Check,
  checkIndexerEnvironment,
  diskMetrics,
  INDEXER_ROLES,
  type IndexerSettings,
  type Logger,
  lowerPriority,
  type NetworkSettings,
  type ProgramContext,
  projectRoot,
  type ReadFile,
  resolveDatabaseUrl,
  runProgram,
  type Shutdown,
  serveMetrics,
} from '@dexfeed/service'
import { assertMigrated, claimNetworks, type Database, openDatabase, openIndexerStore } from '@dexfeed/store'
import { Argument, Command, Option } from 'commander'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { parseAlerts } from './alerts/alert-rules.ts'
import { Alerts, type AlertsFile } from './alerts/alerts.ts'
import { watchedTopics } from './blocks/process-blocks.ts'
import { readCommandLine } from './cli/command-line.ts'
import { expectedSize, startSummary } from './days/start-summary.ts'
import { isNearlyFull } from './doctor/check-disk.ts'
import { ActivityCounts } from './follow/report-activity.ts'
import {
  defaultHistoryProcesses,
  forkHistory,
  HISTORY_NICENESS,
  HistoryProcesses,
  JOINED,
} from './history/history-processes.ts'
import { channelToParent, joinIndexer } from './history/join-indexer.ts'
import { indexerMetrics, type NetworkMetrics } from './indexer-metrics.ts'
import { HeadPriority } from './loops/head-priority.ts'
import { reasonOf, repeatLogged } from './loops/loop.ts'
import { DroppedEvents } from './pools/dropped-events.ts'
import type { BullBoard } from './queue/bull-board.ts'
import { type LazyQueue, lazyQueue } from './queue/job-queue.ts'
import { EvictingRedis, openQueue, type QueuePlace, refuseEviction } from './queue/queue.ts'
import { runNetwork } from './run-network.ts'

const CHAIN_ID_WAIT_MS = 3 * SECOND

const KEEP_CLAIM_MS = 5 * SECOND

interface Settings extends IndexerSettings {
  isJoined: boolean
  alertsFile: AlertsFile | null
  environment: Readonly<Record<string, string | undefined>>
}

// How far the heap may grow beyond its live data before a full collection. Node would allow 300 % under load.
setFlagsFromString('--heap-growing-percent=100')
runProgram('indexer', checkIndexer(process.argv.slice(2)), start)

async function start({ settings, log, shutdown }: ProgramContext<Settings>): Promise<void> {
  await assertPortsFree([
    { variable: 'METRICS_PORT', host: settings.host, port: settings.metricsPort },
    { variable: 'BULL_BOARD_PORT', host: '127.0.0.1', port: settings.bullBoardPort },
  ])
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { applicationName: 'dexfeed-indexer' })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  if (settings.databaseUrl === null) diskMetrics(registry, { database: join(projectRoot(), '.data') })
  const metricsOf = indexerMetrics(registry)
  const priority = new HeadPriority()
  const joined = settings.isJoined ? await joinIndexer(channelToParent(), settings.networks) : null
  const chains = settings.networks.map((networkSettings) => {
    const activity = new ActivityCounts(networkSettings.rpcUrls)
    const shared = joined?.(networkSettings.network)
    const metrics = { ...activity.watching(metricsOf(networkSettings.network)), ...shared?.reports }
    const budgets = shared?.budgets ?? openBudgets({ ...networkSettings, urls: networkSettings.rpcUrls })
    const chain = openNetworkChain(networkSettings, settings, { metrics, priority, budgets }, log)
    return {
      ...networkSettings,
      activity,
      metrics,
      budgets,
      chain,
      references: shared?.references,
      dropped: new DroppedEvents(),
    }
  })
  const place = { redisUrl: settings.redisUrl, databaseUrl: url }
  await refuseBadRedis(place, log)
  const board = settings.bullBoardPort === null ? null : await openBoard(settings.bullBoardPort)
  if (board !== null) shutdown.add('board', () => board.close())
  const networks = chains.map((each) => ({ ...each, queue: networkQueue(place, each.network, board, log) }))
  shutdown.add('queues', () => Promise.all(networks.map(({ queue }) => queue.close())))
  // Open the queues, so that the board shows jobs even if nothing is missing.
  for (const { queue } of networks) void queue.use().catch(() => undefined)
  const waits = !(await refuseWrongChains(chains))
  const { backfillDays, retentionDays } = settings
  for (const networkSettings of settings.isJoined ? [] : settings.networks) {
    log.info({ network: networkSettings.network }, startSummary({ ...networkSettings, backfillDays, retentionDays }))
  }
  if (settings.role !== 'backfill') await claimWhileRunning(settings, database, log, shutdown)
  const history = openHistory(settings, chains, url, { log, shutdown, waits })
  // This also lowers threads that exist already.
  if (settings.isJoined) lowerPriority(HISTORY_NICENESS)
  const metricsServer = await serveMetrics({ registry, host: settings.host, port: settings.metricsPort })
  if (metricsServer !== null) shutdown.add('metrics', () => metricsServer.close())
  const lake = settings.hasLake ? { isDiskLow: () => isDiskLow(settings) } : null
  const watched = networks.map(({ network, chain, deployment }) => ({
    network,
    chain,
    wrappedNative: deployment.wrappedNative,
    store: openIndexerStore(database, network),
    log: log.child({ network }),
  }))
  const alerts = openAlerts(settings, { place, networks: watched, log, ended: shutdown.signal })
  const running = networks.map(
    ({ network, chain, deployment, startBlock, queue, activity, metrics, references, dropped }) =>
      runNetwork(
        {
          chain,
          deployment,
          queue,
          priority,
          activity,
          dropped,
          references,
          isJoined: settings.isJoined,
          store: openIndexerStore(database, network),
          start: { startBlock, backfillDays },
          log: log.child({ network }),
          role: history === null ? settings.role : 'follow',
          concurrency: settings.backfillConcurrency,
          wash: settings.wash,
          retentionDays,
          restorable: watched,
          restoreSince: settings.restoreSince,
          lake,
          ...metrics,
          alerts: alerts?.of(network),
          onReferences: (read) => history?.share(network, read),
          onProgress: (progress) => {
            metrics.onProgress(progress)
            history?.note(network, progress.done < progress.total || progress.old > 0)
          },
          ...(!settings.audit && { onAudit: null, onStates: null }),
        },
        shutdown.signal,
      ),
  )
  shutdown.add('networks', () => Promise.all(running))
  const sending = alerts?.run()
  if (sending !== undefined) shutdown.add('alerts', () => sending)
  // Added last and so closed first, to end waits for nodes.
  shutdown.add('chains', () => Promise.all(chains.map(({ chain }) => chain.close())))
}

/** Only the disk of the embedded database can be seen. */
async function isDiskLow({ databaseUrl, networks }: Settings): Promise<boolean> {
  const { bytesPerDay } = expectedSize(networks.map(({ network }) => network))
  return databaseUrl === null && isNearlyFull(join(projectRoot(), '.data'), bytesPerDay)
}

/** Returns null if no rules are set, or this process follows no head. */
function openAlerts(settings: Settings, options: ConstructorParameters<typeof Alerts>[1]): Alerts | null {
  const { alertsFile, isJoined, role } = settings
  return alertsFile === null || isJoined || role === 'backfill' ? null : new Alerts(alertsFile, options)
}

/** Returns null if this process, or another one, fills history. */
function openHistory(
  settings: Settings,
  chains: readonly {
    network: NetworkName
    budgets: readonly Budget[]
    metrics: NetworkMetrics
    dropped: DroppedEvents
  }[],
  databaseUrl: string,
  { log, shutdown, waits }: { log: Logger; shutdown: Shutdown; waits: boolean },
): HistoryProcesses | null {
  const count = settings.historyThreads ?? defaultHistoryProcesses()
  if (settings.role !== 'both' || count === 0) return null
  const networks = chains.map(({ metrics, ...chain }) => ({ ...chain, reports: metrics }))
  const withoutPorts = { METRICS_PORT: '', BULL_BOARD_PORT: '' }
  const database = settings.databaseUrl === null ? { DATABASE_URL: databaseUrl } : {}
  const start = () => forkHistory({ ...settings.environment, ...withoutPorts, ...database })
  const history = new HistoryProcesses({ count, networks, start, log, waits })
  shutdown.signal.addEventListener('abort', () => void history.close())
  shutdown.add('history', () => history.close())
  return history
}

async function claimWhileRunning(
  { networks }: Settings,
  database: Database,
  log: Logger,
  shutdown: Shutdown,
): Promise<void> {
  const deployments = networks.map(({ deployment }) => deployment)
  const claim = await claimNetworks(database, deployments)
  const step = () => claim.keep().then(() => KEEP_CLAIM_MS)
  const kept = repeatLogged({ ended: shutdown.signal, log }, 'could not claim the networks', step)
  shutdown.add('claim on networks', () => kept.then(() => claim.release()))
}

function checkIndexer(args: readonly string[]): Check<Settings> {
  return (environment, readFile) => {
    const role = new Option('--role <role>', 'what this process does').choices(INDEXER_ROLES)
    // Only the indexer passes this, to its history processes.
    const joined = new Argument('[joined]').choices([JOINED])
    const command = new Command('indexer').addOption(role).addArgument(joined)
    const read = readCommandLine<{ role?: string }>(command, args)
    if ('problems' in read) return read
    const given = read.options.role
    const isJoined = command.args.includes(JOINED)
    const checked = checkIndexerEnvironment(given ? { ...environment, INDEXER_ROLE: given } : environment, readFile)
    if (!checked.settings) return checked
    const { file: alertsFile, problems } = readAlertsFile(checked.settings, readFile)
    if (problems.length > 0) return { problems: problems.map((problem) => `ALERTS_CONFIG: ${problem}`) }
    return { settings: { ...checked.settings, isJoined, alertsFile, environment } }
  }
}

function readAlertsFile(
  { alertsConfig: path, alertsSecrets, networks }: IndexerSettings,
  readFile: ReadFile,
): { file: AlertsFile | null; problems: readonly string[] } {
  if (path === null) return { file: null, problems: [] }
  const wrapped = new Map(networks.map(({ network, deployment }) => [network, deployment.wrappedNative]))
  const parse = (text: string) => parseAlerts(text, alertsSecrets, wrapped)
  try {
    const text = readFile(path)
    const { config, problems } = parse(text)
    return config === undefined ? { file: null, problems } : { file: { path, text, config, parse }, problems: [] }
  } catch (error) {
    return { file: null, problems: [`cannot read ${JSON.stringify(path)} (${reasonOf(error)})`] }
  }
}

interface ChainUse {
  metrics: NetworkMetrics
  priority: HeadPriority
  budgets: readonly Budget[]
}

function openNetworkChain(
  { network, rpcUrls, archive, deployment }: NetworkSettings,
  { pollMs, proveHistory }: Settings,
  { metrics: { onRead, onProof, onRequest }, priority, budgets }: ChainUse,
  log: Logger,
) {
  const topics = watchedTopics(deployment)
  const emitters = emittersOf(deployment.dexes)
  const reading = { topics, emitters, pollMs, budgets, archive, proveHistory, onRead, onProof, onRequest }
  const bulkTurn = () => priority.bulkTurn()
  return openChain({ network, urls: rpcUrls, ...reading, bulkTurn, log: log.child({ network }) })
}

/** Ends the process if Redis may drop jobs, but not if Redis is down, because following needs no queue. */
async function refuseBadRedis({ redisUrl }: QueuePlace, log: Logger): Promise<void> {
  if (redisUrl === null) return
  await refuseEviction(redisUrl).catch((error: unknown) => {
    if (error instanceof EvictingRedis) throw error
    log.warn({ err: error }, 'Redis does not respond: history waits for it')
  })
}

/** Imported late, because loading the board takes a quarter of a second. */
async function openBoard(port: number): Promise<BullBoard> {
  const { serveBullBoard } = await import('./queue/bull-board.ts')
  return serveBullBoard(port)
}

function networkQueue(place: QueuePlace, network: NetworkName, board: BullBoard | null, log: Logger): LazyQueue {
  return lazyQueue(async () => {
    const queue = await openQueue(place, network, log.child({ network }))
    board?.add(queue.shown)
    return queue
  })
}

/** Throws if an endpoint serves a wrong chain. Returns whether any endpoint responds. */
async function refuseWrongChains(chains: readonly { chain: Chain }[]): Promise<boolean> {
  const late = delay(CHAIN_ID_WAIT_MS, undefined, { ref: false })
  const results = await Promise.allSettled(chains.map(({ chain }) => Promise.race([chain.verifyChainId(), late])))
  const reasons = results.map((result) => (result.status === 'rejected' ? result.reason : null))
  const problems = reasons.flatMap((reason) => (reason instanceof WrongChainId ? [reason.message] : []))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return results
    .flatMap((result) => (result.status === 'fulfilled' ? [result] : []))
    .some(({ value }) => value !== undefined && value.responding > 0)
}
