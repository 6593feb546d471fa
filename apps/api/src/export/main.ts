// Writes days of a network's trades to files.
import { dateOfDay, SECOND } from '@dexfeed/dex'
import { type ProgramContext, resolveDatabaseUrl, runProgram } from '@dexfeed/service'
import { assertMigrated, openDatabase, openReader, READER_ROLE } from '@dexfeed/store'
import { checkExport, type ExportSettings } from './export-arguments.ts'
import { exportDay } from './export-day.ts'

const STATEMENT_MS = 60 * SECOND

runProgram('export', checkExport(process.argv.slice(2)), start)

async function start({ settings, log, shutdown }: ProgramContext<ExportSettings>): Promise<void> {
  const own = settings.apiDatabaseUrl
  const { url, release } = await resolveDatabaseUrl({ databaseUrl: own ?? settings.databaseUrl }, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, {
    applicationName: 'dexfeed-export',
    role: own === null ? READER_ROLE : null,
    readOnly: true,
    statementTimeoutMs: STATEMENT_MS,
    max: 2,
  })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const { network, fromDay, toDay, format, out } = settings.request
  const exporting = (async () => {
    const reader = openReader(database)
    for (let day = fromDay; day <= toDay; day++) {
      const { path, rows } = await exportDay(reader, { network, day, format, out }, shutdown.signal)
      process.stdout.write(`${dateOfDay(day)} ${rows} trades ${path}\n`)
    }
  })()
  const running = exporting.then(
    () => shutdown.begin('exported', 0),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      process.stderr.write(`export: ${shutdown.signal.aborted ? 'stopped before the end' : reason}\n`)
      shutdown.begin('not exported', 1)
    },
  )
  shutdown.add('export', () => running)
}
