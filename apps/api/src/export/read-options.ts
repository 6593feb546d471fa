import { type Command, CommanderError } from 'commander'

/** Returns the options of a command line; `runProgram` prints the help. @throws with what is wrong */
export function readOptions<Given extends object>(command: Command, args: readonly string[]): Given {
  command
    .helpOption(false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  try {
    return command.parse([...args], { from: 'user' }).opts<Given>()
  } catch (error) {
    throw error instanceof CommanderError ? new Error(error.message, { cause: error }) : error
  }
}
