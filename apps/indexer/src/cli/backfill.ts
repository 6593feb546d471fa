import { type Chain, openChain } from '@dexfeed/chain'
import { type BlockRange, SECOND } from '@dexfeed/dex'
import { type Check, command, type ProgramContext, resolveDatabaseUrl } from '@dexfeed/service'
import { assertMigrated, type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { Command, InvalidArgumentError, Option } from 'commander'
import { progressDisplay } from '../backfill/backfill-display.ts'
import { requestBackfill, waitForBackfill } from '../backfill/request-backfill.ts'
import { findFirstKept, findStartBlock } from '../days/start-block.ts'
import { reasonOf } from '../loops/loop.ts'
import { openQueue } from '../queue/queue.ts'
import {
  blockNumber,
  checkOneNetwork,
  type NetworkChoice,
  networkOption,
  type OneNetworkSettings,
} from './command-line.ts'

interface BackfillArguments {
  span: { from: number; to: number } | { days: number }
  wait: boolean
}

type BackfillSettings = OneNetworkSettings & BackfillArguments

const MANY_DAYS = 36_500

interface Given extends NetworkChoice {
  from?: number
  to?: number
  days?: number
  wait?: boolean
}

export const run = command('backfill', checkBackfill, start)

async function start({ settings, log, output, shutdown }: ProgramContext<BackfillSettings>): Promise<void> {
  const { network, rpcUrls, rates, computeUnits } = settings.network
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { applicationName: 'dexfeed-backfill', max: 3 })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const store = openIndexerStore(database, network)
  const queue = await openQueue({ redisUrl: settings.redisUrl, databaseUrl: url }, network, log)
  shutdown.add('queue', () => queue.close())
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, topics: [], pollMs: settings.pollMs, log })
  shutdown.add('chain', () => chain.close())
  const range = await requireRange(chain, store, settings)
  const request = { network, range, store, queue }
  const { jobs, blocks } = await requestBackfill(request)
  const display = progressDisplay({ out: output.stdout, err: output.stderr })
  display.note(`${network}: blocks ${range.from} to ${range.to}: ${blocks} to fill in, in ${jobs} new jobs`)
  if (!settings.wait) return shutdown.begin('queued', 0)
  // Not awaited: start-up must end, so that Ctrl-C works.
  void waitForBackfill(request, display, shutdown.signal).then(
    (complete) => shutdown.begin(complete ? 'covered' : 'a part failed', complete ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return display.note(`the jobs of ${network} stay queued`)
      display.note(`backfill: ${reasonOf(error)}`)
      shutdown.begin('the wait failed', 1)
    },
  )
}

async function requireRange(
  chain: Chain,
  store: IndexerStore,
  { network: { network }, span, retentionDays }: BackfillSettings,
): Promise<BlockRange> {
  const row = await store.networkRow()
  if (row === null || row.finalNumber === null) {
    throw new Error(`no indexer has followed ${network} on this database yet: start one first (npm run indexer)`)
  }
  const head = await chain.head()
  const to = 'days' in span ? row.finalNumber : span.to
  if (to > head.number) throw new Error(`--to ${to} is above the head ${head.number} of ${network}`)
  const start =
    'days' in span ? { startBlock: null, backfillDays: span.days } : { startBlock: span.from, backfillDays: 0 }
  const first = await findStartBlock(chain, start)
  if (first.number > to) throw new Error(`${network} has no final block since that time`)
  const kept = retentionDays === null ? first : (await findFirstKept(chain, head, retentionDays)).block
  const since = Math.max(kept.timestamp, (await store.keptSince()) ?? Number.NEGATIVE_INFINITY)
  if (first.timestamp < since) {
    throw new Error(`rows before ${new Date(since * SECOND).toISOString()} are not kept (RETENTION_DAYS)`)
  }
  await store.lowerStart(first)
  return { from: first.number, to }
}

function checkBackfill(args: readonly string[]): Check<BackfillSettings> {
  const line = new Command('backfill')
    .addOption(networkOption('whose history'))
    .option('--from <block>', 'first block', blockNumber)
    .option('--to <block>', 'last block', blockNumber)
    .addOption(new Option('--days <days>', 'the last days instead').argParser(dayCount).conflicts(['from', 'to']))
    .option('--wait', 'stay until it is done; exit code 1 if any part failed')
  return checkOneNetwork(line, args, ({ from, to, days, wait = false }: Given): BackfillArguments | string => {
    if (days !== undefined) return { span: { days }, wait }
    if (from === undefined || to === undefined) return 'give --from and --to, or --days'
    return from > to ? `--from ${from} is above --to ${to}` : { span: { from, to }, wait }
  })
}

function dayCount(text: string): number {
  const days = /^\d{1,5}(\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (days > 0 && days <= MANY_DAYS) return days
  throw new InvalidArgumentError(`It must be a number up to ${MANY_DAYS}.`)
}
