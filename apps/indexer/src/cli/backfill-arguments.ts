import type { Check } from '@dexfeed/service'
import { Command, Option } from 'commander'
import {
  checkOneNetwork,
  type NetworkChoice,
  networkOption,
  type OneNetworkSettings,
  readCommandLine,
} from './command-line.ts'

/** What is to be filled in. */
export interface BackfillArguments {
  span: { from: number; to: number } | { days: number }
  wait: boolean
}

export interface BackfillSettings extends OneNetworkSettings, BackfillArguments {}

const MANY_DAYS = 36_500

/** Reads the command line of `npm run backfill` and the indexer's environment. */
export function checkBackfill(args: readonly string[]): Check<BackfillSettings> {
  return (environment, readFile) => {
    const read = readArguments(args)
    if ('problems' in read) return read
    const { settings, problems } = checkOneNetwork('backfill', read.network)(environment, readFile)
    if (settings === undefined) return { problems }
    return { settings: { ...settings, span: read.span, wait: read.wait } }
  }
}

interface Given extends NetworkChoice {
  from?: string
  to?: string
  days?: string
  wait?: true
}

function readArguments(args: readonly string[]): (BackfillArguments & Pick<Given, 'network'>) | { problems: string[] } {
  const command = new Command('backfill')
    .addOption(networkOption('whose history'))
    .option('--from <block>', 'first block')
    .option('--to <block>', 'last block')
    .addOption(new Option('--days <days>', 'the last days instead').conflicts(['from', 'to']))
    .option('--wait', 'stay until it is done; exit code 1 if any part failed')
  const read = readCommandLine<Given>(command, args)
  if ('problems' in read) return read
  const given = read.options
  const span = spanOf(given)
  return typeof span === 'string'
    ? { problems: [`backfill: ${span}`] }
    : { network: given.network, span, wait: given.wait === true }
}

function spanOf({ from, to, days }: Given): BackfillArguments['span'] | string {
  if (days !== undefined) {
    const count = /^\d{1,5}(\.\d{1,6})?$/.test(days) ? Number(days) : Number.NaN
    return count > 0 && count <= MANY_DAYS ? { days: count } : `--days must be a number up to ${MANY_DAYS}, not ${days}`
  }
  if (from === undefined || to === undefined) return 'give --from and --to, or --days'
  for (const block of [from, to]) if (!/^\d{1,12}$/.test(block)) return `${JSON.stringify(block)} is no block number`
  if (Number(from) > Number(to)) return `--from ${from} is above --to ${to}`
  return { from: Number(from), to: Number(to) }
}
