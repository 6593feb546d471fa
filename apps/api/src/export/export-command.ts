import { dateOfDay, SECOND } from '@dexfeed/dex'
import { command, type ProgramContext, resolveDatabaseUrl } from '@dexfeed/service'
import { assertMigrated, openDatabase, openReader, READER_ROLE } from '@dexfeed/store'
import { checkExport, type ExportSettings } from './export-arguments.ts'
import { exportDay } from './export-day.ts'

const STATEMENT_MS = 60 * SECOND

export const run = command('export', checkExport, start)

async function start({ settings, log, output, shutdown }: ProgramContext<ExportSettings>): Promise<void> {
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
      output.stdout.write(`${dateOfDay(day)} ${rows} trades ${path}\n`)
    }
  })()
  const running = exporting.then(
    () => shutdown.begin('exported', 0),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      output.stderr.write(`export: ${shutdown.signal.aborted ? 'stopped before the end' : reason}\n`)
      shutdown.begin('not exported', 1)
    },
  )
  shutdown.add('export', () => running)
}
