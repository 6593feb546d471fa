// Three local chains with the real DEX contracts and bots, an embedded Postgres, indexer and API, all in one go.
import { join } from 'node:path'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { type ProgramContext, projectRoot, runProgram } from '@dexfeed/service'
import { childEnvironment } from './demo/child-environment.ts'
import { choosePort } from './demo/choose-port.ts'
import { openDemoDatabase } from './demo/demo-database.ts'
import { checkDemo, type DemoSettings } from './demo/demo-settings.ts'
import { showSummaries } from './demo/show-summaries.ts'
import { waitUntilReady } from './demo/wait-until-ready.ts'
import { welcome } from './demo/welcome.ts'
import { openDevnet } from './open-devnet.ts'
import { startStack } from './stack.ts'

const HOST = '127.0.0.1'

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
  say(welcome(base, secondsSince(startedAt), devnet))
  // Ends by the signal. Nothing waits for it: a read that is under way then may take its time.
  void showSummaries({ base, signal, out: process.stdout })
}

function secondsSince(start: number): string {
  return ((Date.now() - start) / 1000).toFixed(0)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
