import type { Command } from 'commander'

export function readOptions<Given extends object>(command: Command, args: readonly string[]): Given {
  command
    .helpOption(false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  return command.parse(args, { from: 'user' }).opts<Given>()
}
