import type { Check } from '@dexfeed/service'
import { Command } from 'commander'
import type { VerifyRequest } from '../verify/verify-network.ts'
import {
  blockNumber,
  checkOneNetwork,
  type NetworkChoice,
  networkOption,
  type OneNetworkSettings,
} from './command-line.ts'

export type VerifySettings = OneNetworkSettings & { request: VerifyRequest }

interface Given extends NetworkChoice {
  from?: number | null
  to?: number | null
  repair?: boolean
  states?: boolean
}

/** Reads the command line of `npm run verify` and the indexer's environment. */
export function checkVerify(args: readonly string[]): Check<VerifySettings> {
  const command = new Command('verify')
    .addOption(networkOption('whose rows'))
    .option('--from <block>', 'first block; default: the first that is covered', blockNumber)
    .option('--to <block>', 'last block; default: the last that is final', blockNumber)
    .option('--repair', 'repair what differs')
    .option('--states', 'compare only the pool states at the head')
  return checkOneNetwork(command, args, ({ from = null, to = null, repair = false, states = false }: Given) => {
    if (from !== null && to !== null && from > to) return `--from ${from} is above --to ${to}`
    if (states && (from !== null || to !== null))
      return '--states compares those at the head: leave out --from and --to'
    return { request: { from, to, repair, statesAlone: states } }
  })
}
