// Compares a network's rows with its chain, and repairs them with --repair.
import { openChain } from '@dexfeed/chain'
import { emittersOf } from '@dexfeed/dex'
import { type ProgramContext, resolveDatabaseUrl, runProgram } from '@dexfeed/service'
import { assertMigrated, openDatabase, openIndexerStore } from '@dexfeed/store'
import { watchedTopics } from '../blocks/process-blocks.ts'
import { reasonOf } from '../loops/loop.ts'
import { verifyDisplay } from '../verify/verify-display.ts'
import { verifyNetwork } from '../verify/verify-network.ts'
import { checkVerify, type VerifySettings } from './verify-arguments.ts'

runProgram('verify', checkVerify(process.argv.slice(2)), start)

async function start({ settings, log, shutdown }: ProgramContext<VerifySettings>): Promise<void> {
  const { network, rpcUrls, rates, computeUnits, deployment } = settings.network
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { applicationName: 'dexfeed-verify', max: 3 })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const store = openIndexerStore(database, network)
  const reading = { topics: watchedTopics(deployment), emitters: emittersOf(deployment.dexes), pollMs: settings.pollMs }
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, ...reading, log })
  const display = verifyDisplay(network, { out: process.stdout, err: process.stderr })
  const dependencies = { chain, store, deployment, log, report: display }
  // Do not await it: start-up must end, so that Ctrl-C works.
  const running = verifyNetwork(dependencies, settings.request, shutdown.signal).then(
    (isRight) => {
      display.end(isRight)
      shutdown.begin('compared', isRight ? 0 : 1)
    },
    (error: unknown) => {
      display.note(shutdown.signal.aborted ? 'stopped before the end' : reasonOf(error))
      shutdown.begin('not compared', 1)
    },
  )
  shutdown.add('comparison', () => running)
  // Closed first: waits for a node then end.
  shutdown.add('chain', () => chain.close())
}
