import { dateOfDay, SECOND } from '@dexfeed/dex'
import { command, type ProgramContext } from '@dexfeed/service'
import { openReader } from '@dexfeed/store'
import { openReaderDatabase } from '../open-reader-database.ts'
import { checkExport, type ExportSettings } from './export-arguments.ts'
import { exportDay } from './export-day.ts'

const STATEMENT_MS = 60 * SECOND

export const run = command('export', checkExport, start)

async function start(context: ProgramContext<ExportSettings>): Promise<void> {
  const { settings, output, shutdown } = context
  const limits = { statementTimeoutMs: STATEMENT_MS, max: 2 }
  const database = await openReaderDatabase(context, { applicationName: 'dexfeed-export', ...limits })
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
