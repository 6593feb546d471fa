import { type Check, checkIndexerEnvironment, INDEXER_ROLES, type IndexerSettings } from '@dexfeed/service'
import { Command, Option } from 'commander'
import { readCommandLine } from './command-line.ts'

/** The environment's settings; what the command line says goes first. */
export function checkIndexer(args: readonly string[]): Check<IndexerSettings> {
  return (environment, readFile) => {
    const command = new Command('indexer').addOption(
      new Option('--role <role>', 'what this process does').choices(INDEXER_ROLES),
    )
    const read = readCommandLine<{ role?: string }>(command, args)
    if ('problems' in read) return read
    const { role } = read.options
    return checkIndexerEnvironment(role === undefined ? environment : { ...environment, INDEXER_ROLE: role }, readFile)
  }
}
