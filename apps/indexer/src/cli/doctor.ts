// Checks settings, nodes, databases, queue and folders, and reports what to change. It changes nothing itself.
import { join } from 'node:path'
import {
  type ApiSettings,
  type Check,
  checkApiEnvironment,
  checkIndexerEnvironment,
  type IndexerSettings,
  type ProgramContext,
  projectRoot,
  runProgram,
} from '@dexfeed/service'
import { Command } from 'commander'
import { checkNodes } from '../doctor/check-nodes.ts'
import { checkDatabase, checkFolder, checkQueue } from '../doctor/check-places.ts'
import { type Finding, findingsText } from '../doctor/finding.ts'
import { readCommandLine } from './command-line.ts'

type DoctorSettings = IndexerSettings & Pick<ApiSettings, 'apiDatabaseUrl' | 'listCacheDir'>

runProgram('doctor', checkDoctor(process.argv.slice(2)), start, { logTo: 'stderr' })

async function start({ settings, log, shutdown }: ProgramContext<DoctorSettings>): Promise<void> {
  // Do not await it: start-up must end, so that Ctrl-C works.
  void runChecks(settings, log).then(
    (findings) => {
      process.stdout.write(findingsText(findings))
      const failed = findings.filter(({ verdict }) => verdict === 'fail').length
      process.stdout.write(failed === 0 ? 'nothing has to be changed\n' : `${failed} to be changed\n`)
      shutdown.begin('checked', failed === 0 ? 0 : 1)
    },
    (error: unknown) => {
      log.fatal({ err: error }, 'the checks failed')
      shutdown.begin('the checks failed', 1)
    },
  )
}

async function runChecks(settings: DoctorSettings, log: ProgramContext<DoctorSettings>['log']): Promise<Finding[]> {
  const lists = settings.listCacheDir ?? join(projectRoot(), '.data', 'lists')
  const checks = [
    checkDatabase('database', settings.databaseUrl, false),
    checkDatabase("the API's login", settings.apiDatabaseUrl, true),
    checkQueue(settings.redisUrl),
    checkFolder('lists', lists),
    ...settings.networks.map((network) => checkNodes(network, settings, log)),
  ]
  return (await Promise.all<Finding | Finding[]>(checks)).flat()
}

/** Reads the settings of both programs, and reports all their problems together. Only fatal errors are logged. */
function checkDoctor(args: readonly string[]): Check<DoctorSettings> {
  return (environment, readFile) => {
    const read = readCommandLine(new Command('doctor'), args)
    if ('problems' in read) return read
    const indexer = checkIndexerEnvironment(environment, readFile)
    const api = checkApiEnvironment(environment, readFile)
    if (!indexer.settings || !api.settings) {
      return { problems: [...new Set([...(indexer.problems ?? []), ...(api.problems ?? [])])] }
    }
    const { apiDatabaseUrl, listCacheDir } = api.settings
    return { settings: { ...indexer.settings, apiDatabaseUrl, listCacheDir, logLevel: 'fatal' } }
  }
}
