import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import type { LogLevel } from '@dexfeed/service'
import { type Command, CommanderError, Option } from 'commander'

/** Of commands that deal with one network. */
export interface NetworkChoice {
  network: NetworkName
}

export function networkOption(description: string): Option {
  return new Option('--network <network>', description).choices(NETWORK_NAMES).makeOptionMandatory()
}

/** Of commands whose output is their answer: the log keeps to what is wrong. */
export function quietLevel(level: LogLevel): LogLevel {
  return level === 'info' ? 'warn' : level
}

/** The options that are given, or what is wrong with them, by the command's name. `--help` prints and ends the process. */
export function readCommandLine<T extends object>(
  command: Command,
  args: readonly string[],
): { options: T } | { problems: string[] } {
  command
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  try {
    return { options: command.parse(args, { from: 'user' }).opts<T>() }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) process.exit(0)
    return { problems: [`${command.name()}: ${error.message}`] }
  }
}
