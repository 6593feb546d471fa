import type { Check } from '@dexfeed/service'
import { Command, InvalidArgumentError, Option } from 'commander'
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

export type BackfillSettings = OneNetworkSettings & BackfillArguments

const MANY_DAYS = 36_500

interface Given extends NetworkChoice {
  from?: number
  to?: number
  days?: number
  wait?: boolean
}

/** Reads the command line of `npm run backfill` and the indexer's environment. */
export function checkBackfill(args: readonly string[]): Check<BackfillSettings> {
  const command = new Command('backfill')
    .addOption(networkOption('whose history'))
    .option('--from <block>', 'first block', blockNumber)
    .option('--to <block>', 'last block', blockNumber)
    .addOption(new Option('--days <days>', 'the last days instead').argParser(dayCount).conflicts(['from', 'to']))
    .option('--wait', 'stay until it is done; exit code 1 if any part failed')
  return checkOneNetwork(command, args, ({ from, to, days, wait = false }: Given): BackfillArguments | string => {
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
