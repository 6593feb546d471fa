import { join } from 'node:path'
import type { NetworkName } from '@dexfeed/dex'
import {
  type ApiSettings,
  type Check,
  checkApiEnvironment,
  checkIndexerEnvironment,
  command,
  type IndexerSettings,
  type ProgramContext,
  projectRoot,
} from '@dexfeed/service'
import { Command } from 'commander'
import { expectedSize } from '../days/start-summary.ts'
import { checkDisk, type UsedFolder } from '../doctor/check-disk.ts'
import { checkForks, checkNodes } from '../doctor/check-nodes.ts'
import { checkDatabase, checkQueue, type Login } from '../doctor/check-places.ts'
import { type Finding, findingsText, summaryText } from '../doctor/finding.ts'
import { readCommandLine } from './command-line.ts'

interface DoctorSettings extends IndexerSettings {
  apiDatabaseUrl: ApiSettings['apiDatabaseUrl']
  listCacheDir: ApiSettings['listCacheDir']
}

const YEAR = 365

export const run = command('doctor', checkDoctor, start, { logTo: 'stderr' })

async function start({ settings, log, output, shutdown }: ProgramContext<DoctorSettings>): Promise<void> {
  void runChecks(settings, log).then(
    (findings) => {
      output.stdout.write(findingsText(findings))
      const failed = findings.filter(({ verdict }) => verdict === 'fail').length
      output.stdout.write(`${summaryText(findings)}\n`)
      shutdown.begin('checked', failed === 0 ? 0 : 1)
    },
    (error: unknown) => {
      log.fatal({ err: error }, 'the checks failed')
      shutdown.begin('the checks failed', 1)
    },
  )
}

async function runChecks(settings: DoctorSettings, log: ProgramContext<DoctorSettings>['log']): Promise<Finding[]> {
  const names = settings.networks.map(({ network }) => network)
  const checks = [
    ...loginsOf(settings).map(checkDatabase),
    checkQueue(settings.redisUrl),
    ...usedFolders(settings, names).map((usedFolder) => checkDisk(usedFolder)),
    checkForks(names, Date.now()),
    checkNodes(settings.networks, settings, log),
  ]
  return (await Promise.all<Finding | Finding[]>(checks)).flat()
}

function loginsOf({ databaseUrl, apiDatabaseUrl }: DoctorSettings): Login[] {
  const owner = { about: 'database', url: databaseUrl, variable: 'DATABASE_URL', isApi: false } as const
  const api = { about: "the API's login", isApi: true }
  if (apiDatabaseUrl === null) return [owner, { ...owner, ...api }]
  return [owner, { ...api, url: apiDatabaseUrl, variable: 'API_DATABASE_URL' }]
}

/** Leaves out a database at a URL, because its disk may be on another machine. */
function usedFolders({ databaseUrl, listCacheDir, retentionDays }: DoctorSettings, names: readonly NetworkName[]) {
  const { bytesPerDay, listBytes } = expectedSize(names)
  const data = join(projectRoot(), '.data')
  const listFolder = listCacheDir ?? join(data, 'lists')
  const lists: UsedFolder = {
    about: 'disk for lists',
    folder: listFolder,
    day: listBytes,
    total: listBytes,
    stored: listFolder,
    advice: 'make room, or set LIST_CACHE_DIR to a folder on another disk',
  }
  if (databaseUrl !== null) return [lists]
  const database: UsedFolder = {
    about: 'disk for rows',
    folder: data,
    day: bytesPerDay,
    total: bytesPerDay * (retentionDays ?? YEAR),
    stored: join(data, 'postgres'),
    advice: 'make room, lower RETENTION_DAYS, or set DATABASE_URL to a Postgres on another disk',
  }
  return [database, lists]
}

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
