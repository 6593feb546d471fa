// Runs three local chains with real DEX contracts and bots, embedded Postgres, indexer and API.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Devnet } from '@dexfeed/devnet'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { type ProgramContext, projectRoot, runProgram } from '@dexfeed/service'
import { childEnvironment } from './demo/child-environment.ts'
import { openDemoDatabase } from './demo/demo-database.ts'
import { checkDemo, choosePort, type DemoSettings } from './demo/demo-settings.ts'
import { showSummaries } from './demo/show-summaries.ts'
import { openDevnet } from './open-devnet.ts'
import { startStack } from './stack.ts'

const HOST = '127.0.0.1'
const READY_RETRY_MS = 200

runProgram('demo', checkDemo, demo)

async function demo({ settings, log, shutdown }: ProgramContext<DemoSettings>): Promise<void> {
  const startedAt = Date.now()
  const { signal } = shutdown
  const port = await choosePort(HOST, settings.port)
  shutdown.add('farewell', () => say('stopped'))
  signal.addEventListener('abort', () => say('stopping ...'))
  say('starting three local chains with seven days of trades, and Postgres ...')

  const dataDir = join(projectRoot(), '.data', 'devnet')
  const [devnet, databaseUrl] = await Promise.all([
    openDevnet({ log, shutdown }, { dataDir, networks: NETWORK_NAMES }),
    openDemoDatabase({ log, shutdown }),
  ])
  devnet.startBots()
  say(`chains ready after ${secondsSince(startedAt)} s, indexing ...`)
  signal.throwIfAborted()
  await startStack({
    settings: {
      logLevel: settings.logLevel,
      warnings: [],
      databaseUrl,
      apiDatabaseUrl: null,
      host: HOST,
      port,
      metricsPort: null,
    },
    log,
    shutdown,
    env: childEnvironment(devnet, { databaseUrl, host: HOST, port, logLevel: settings.logLevel }),
  })
  const base = `http://${HOST}:${port}`
  await waitUntilReady(base, signal)
  say(welcome(base, secondsSince(startedAt), devnet, databaseUrl))
  // Not awaited, so that the demo can be stopped during a read.
  void showSummaries({ base, signal, out: process.stdout })
}

async function waitUntilReady(base: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const { status } = await fetch(`${base}/readyz`, { signal })
      if (status === 200) return
    } catch {
      // The API does not listen yet.
    }
    await delay(READY_RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}

function welcome(base: string, seconds: string, { chains, dexConfigFile }: Devnet, databaseUrl: string): string {
  const urls = NETWORK_NAMES.map((network) => `${network.toUpperCase()}_RPC_URL=${chains[network].rpcUrl}`)
  return `
dexfeed is ready after ${seconds} s

  page     ${base}
  price    ${base}/api/quote?sellToken=WBNB&buyToken=USDT
  price    ${base}/api/quote?sellToken=WETH&buyToken=USDC&network=eth
  price    ${base}/api/quote?sellToken=POL&buyToken=USDC&network=polygon
  swaps    ${base}/api/swaps_24h
  volume   ${base}/api/trade_volume_usd_7d
  more     ${base}/docs  ${base}/status

For doctor, verify, explain and the other commands, in another terminal:

  export DATABASE_URL=${databaseUrl}
  export DEX_CONFIG=${dexConfigFile} ${urls.join(' ')}

Ctrl-C stops everything.
`
}

function secondsSince(start: number): string {
  return ((Date.now() - start) / 1000).toFixed(0)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
