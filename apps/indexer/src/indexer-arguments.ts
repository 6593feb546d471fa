import { type Check, checkIndexerEnvironment, INDEXER_ROLES, type IndexerSettings } from '@dexfeed/service'
import { Command, CommanderError, Option } from 'commander'

/** The environment's settings; what the command line says goes first. */
export function checkIndexer(args: readonly string[]): Check<IndexerSettings> {
  return (environment, readFile) => {
    const command = new Command('indexer')
      .addOption(new Option('--role <role>', 'what this process does').choices(INDEXER_ROLES))
      .allowExcessArguments(false)
      .exitOverride()
      .configureOutput({ outputError: () => undefined })
    try {
      command.parse(args, { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      if (error.exitCode === 0) process.exit(0)
      return { problems: [`indexer: ${error.message}`] }
    }
    const { role } = command.opts<{ role?: string }>()
    return checkIndexerEnvironment(role === undefined ? environment : { ...environment, INDEXER_ROLE: role }, readFile)
  }
}
