import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import {
  type Check,
  checkIndexerEnvironment,
  type IndexerSettings,
  type LogLevel,
  type NetworkSettings,
} from '@dexfeed/service'
import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander'

export interface NetworkChoice {
  network: NetworkName
}

export interface OneNetworkSettings extends IndexerSettings {
  network: NetworkSettings
}

export function networkOption(description: string): Option {
  return new Option('--network <network>', description).choices(NETWORK_NAMES).makeOptionMandatory()
}

/** Returns the level for commands that print a result: they log only problems. */
export function quietLevel(level: LogLevel): LogLevel {
  return level === 'info' ? 'warn' : level
}

export function readCommandLine<T extends object>(
  command: Command,
  args: readonly string[],
): { options: T } | { problems: string[] } {
  command
    .helpOption(false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  try {
    return { options: command.parse(args, { from: 'user' }).opts<T>() }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { problems: [`${command.name()}: ${error.message}`] }
  }
}

export function checkOneNetwork<Given extends NetworkChoice, Own extends object>(
  command: Command,
  args: readonly string[],
  understand: (given: Given) => Own | string,
): Check<OneNetworkSettings & Own> {
  const problem = (text: string) => ({ problems: [`${command.name()}: ${text}`] })
  return (environment, readFile) => {
    const read = readCommandLine<Given>(command, args)
    if ('problems' in read) return read
    const own = understand(read.options)
    if (typeof own === 'string') return problem(own)
    const { settings, problems } = checkIndexerEnvironment(environment, readFile)
    if (settings === undefined) return { problems }
    const name = read.options.network
    const network = settings.networks.find((networkSettings) => networkSettings.network === name)
    if (network === undefined) return problem(`${name} is not among the networks to index`)
    return { settings: { ...settings, logLevel: quietLevel(settings.logLevel), network, ...own } }
  }
}

export function blockNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('That is not a block number.')
  return Number(text)
}
