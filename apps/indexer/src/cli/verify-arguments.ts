import type { Check } from '@dexfeed/service'
import { Command } from 'commander'
import type { VerifyRequest } from '../verify/verify-network.ts'
import {
  checkOneNetwork,
  type NetworkChoice,
  networkOption,
  type OneNetworkSettings,
  readCommandLine,
} from './command-line.ts'

export interface VerifySettings extends OneNetworkSettings {
  request: VerifyRequest
}

/** Reads the command line of `npm run verify` and the indexer's environment. */
export function checkVerify(args: readonly string[]): Check<VerifySettings> {
  return (environment, readFile) => {
    const read = readArguments(args)
    if ('problems' in read) return read
    const { settings, problems } = checkOneNetwork('verify', read.network)(environment, readFile)
    if (settings === undefined) return { problems }
    return { settings: { ...settings, request: read.request } }
  }
}

interface Given extends NetworkChoice {
  from?: string
  to?: string
  repair?: true
}

type Arguments = { network: Given['network']; request: VerifyRequest }

function readArguments(args: readonly string[]): Arguments | { problems: string[] } {
  const command = new Command('verify')
    .addOption(networkOption('whose rows'))
    .option('--from <block>', 'first block; default: the first that is covered')
    .option('--to <block>', 'last block; default: the last that is final')
    .option('--repair', 'repair what differs')
  const given = readCommandLine<Given>(command, args)
  if ('problems' in given) return given
  const { network, from, to, repair } = given.options
  const wrong = [from, to].find((block) => block !== undefined && !/^\d{1,12}$/.test(block))
  if (wrong !== undefined) return { problems: [`verify: ${JSON.stringify(wrong)} is no block number`] }
  const request = { from: numberOf(from), to: numberOf(to), repair: repair === true }
  if (request.from !== null && request.to !== null && request.from > request.to) {
    return { problems: [`verify: --from ${from} is above --to ${to}`] }
  }
  return { network, request }
}

function numberOf(block: string | undefined): number | null {
  return block === undefined ? null : Number(block)
}
