import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Check, checkLakeEnvironment, command, type LakeSettings, type ProgramContext } from '@dexfeed/service'
import { openDuck } from '../duck.ts'
import { openLake } from '../objects/open-lake.ts'
import { attachPostgres } from './attach-postgres.ts'
import { createViews } from './lake-views.ts'

type QuerySettings = LakeSettings & { sql: string }

export const run = command('query', checkQuery, start, { logTo: 'stderr' })

function checkQuery(args: readonly string[]): Check<QuerySettings> {
  return (environment, readFile) => {
    const [sql, ...others] = args
    if (sql === undefined || /^--?\w/.test(sql) || others.length > 0) {
      return { problems: ['query: give one statement in quotes, such as "SELECT count(*) FROM swaps"'] }
    }
    const { settings, problems } = checkLakeEnvironment(environment, readFile)
    if (settings === undefined) return { problems }
    // The output has the rows, so only warnings are logged.
    return { settings: { ...settings, logLevel: settings.logLevel === 'info' ? 'warn' : settings.logLevel, sql } }
  }
}

async function start({ settings, log, output, shutdown }: ProgramContext<QuerySettings>): Promise<void> {
  const { objects, close } = openLake(settings.lake, shutdown.signal)
  shutdown.add('lake', close)
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-query-'))
  shutdown.add('folder', () => rmSync(folder, { recursive: true, force: true }))
  const duck = await openDuck(folder, shutdown.signal)
  shutdown.add('DuckDB', () => duck.close())
  await createViews(duck, objects, settings.lake)
  if (settings.databaseUrl !== null) {
    const problem = await attachPostgres(duck, settings.databaseUrl)
    if (problem !== null) log.warn({ problem }, 'Postgres is left out of the query')
  }
  for await (const line of duck.lines(settings.sql)) output.stdout.write(`${line}\n`)
  shutdown.begin('answered', 0)
}
