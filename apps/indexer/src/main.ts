import { openChain, WrongChainId } from '@dexfeed/chain'
import {
  checkIndexerEnvironment,
  type IndexerSettings,
  type Logger,
  type NetworkSettings,
  type ProgramContext,
  resolveDatabaseUrl,
  runProgram,
  serveMetrics,
} from '@dexfeed/service'
import { assertMigrated, deactivateOtherNetworks, openDatabase, openIndexerStore } from '@dexfeed/store'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { indexerMetrics } from './indexer-metrics.ts'
import { runNetwork } from './run-network.ts'
import { watchedTopics } from './watched-topics.ts'

/** How long the start waits for endpoints to tell their chain id; one that is down is tried again later. */
const CHAIN_ID_WAIT_MS = 3_000

runProgram('indexer', checkIndexerEnvironment, start)

async function start({ settings, log, shutdown }: ProgramContext<IndexerSettings>): Promise<void> {
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { applicationName: 'dexfeed-indexer' })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const chains = settings.networks.map((network) => ({ ...network, chain: openNetworkChain(network, settings, log) }))
  await refuseWrongChains(chains)
  await deactivateOtherNetworks(
    database,
    settings.networks.map(({ network }) => network),
  )
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = indexerMetrics(registry)
  const metricsServer = await serveMetrics({ registry, host: settings.host, port: settings.metricsPort })
  if (metricsServer !== null) shutdown.add('metrics', () => metricsServer.close())
  const running = chains.map(({ network, chain, deployment, startBlock }) =>
    runNetwork(
      {
        chain,
        store: openIndexerStore(database, network),
        deployment,
        start: { startBlock, backfillDays: settings.backfillDays },
        log: log.child({ network }),
        committed: (commit) => metrics.committed(network, commit),
      },
      shutdown.signal,
    ),
  )
  shutdown.add('networks', () => Promise.all(running))
  // Closed before: a network that waits for a node stops waiting.
  shutdown.add('chains', () => Promise.all(chains.map(({ chain }) => chain.close())))
}

function openNetworkChain({ network, rpcUrls, deployment }: NetworkSettings, { pollMs }: IndexerSettings, log: Logger) {
  const topics = watchedTopics(deployment)
  return openChain({ network, urls: rpcUrls, topics, pollMs, log: log.child({ network }) })
}

/** Settings that point to another chain end the process; an endpoint that is merely down does not. */
async function refuseWrongChains(chains: readonly { chain: ReturnType<typeof openChain> }[]): Promise<void> {
  const asked = chains.map(async ({ chain }) => {
    await chain.verifyChainId().catch((error: unknown) => {
      if (error instanceof WrongChainId) throw error
    })
  })
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, CHAIN_ID_WAIT_MS).unref())
  const results = await Promise.allSettled(asked.map((one) => Promise.race([one, timeout])))
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason.message)] : []))
  if (problems.length > 0) throw new Error(problems.join('\n'))
}
