import { openChain } from '@dexfeed/chain'
import { emittersOf } from '@dexfeed/dex'
import { type Check, command, type ProgramContext, resolveDatabaseUrl } from '@dexfeed/service'
import { assertMigrated, openDatabase, openIndexerStore } from '@dexfeed/store'
import { Command } from 'commander'
import { watchedTopics } from '../blocks/process-blocks.ts'
import { reasonOf } from '../loops/loop.ts'
import { verifyDisplay } from '../verify/verify-display.ts'
import { type VerifyRequest, verifyNetwork } from '../verify/verify-network.ts'
import {
  blockNumber,
  checkOneNetwork,
  type NetworkChoice,
  networkOption,
  type OneNetworkSettings,
} from './command-line.ts'

type VerifySettings = OneNetworkSettings & { request: VerifyRequest }

interface Given extends NetworkChoice {
  from?: number | null
  to?: number | null
  repair?: boolean
  states?: boolean
}

export const run = command('verify', checkVerify, start)

async function start({ settings, log, output, shutdown }: ProgramContext<VerifySettings>): Promise<void> {
  const { network, rpcUrls, rates, computeUnits, deployment } = settings.network
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { applicationName: 'dexfeed-verify', max: 3 })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const store = openIndexerStore(database, network)
  const reading = { topics: watchedTopics(deployment), emitters: emittersOf(deployment.dexes), pollMs: settings.pollMs }
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, ...reading, log })
  const display = verifyDisplay(network, { out: output.stdout, err: output.stderr })
  const dependencies = { chain, store, deployment, log, report: display }
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
  // Added last and so closed first, to end waits for nodes.
  shutdown.add('chain', () => chain.close())
}

function checkVerify(args: readonly string[]): Check<VerifySettings> {
  const line = new Command('verify')
    .addOption(networkOption('whose rows'))
    .option('--from <block>', 'first block; default: the first that is covered', blockNumber)
    .option('--to <block>', 'last block; default: the last that is final', blockNumber)
    .option('--repair', 'repair what differs')
    .option('--states', 'compare only the pool states at the head')
  return checkOneNetwork(line, args, ({ from = null, to = null, repair = false, states = false }: Given) => {
    if (from !== null && to !== null && from > to) return `--from ${from} is above --to ${to}`
    if (states && (from !== null || to !== null))
      return '--states compares the pool states at the head: leave out --from and --to'
    return { request: { from, to, repair, statesAlone: states } }
  })
}
