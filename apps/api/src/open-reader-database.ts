import { type ApiSettings, type ProgramContext, resolveDatabaseUrl } from '@dexfeed/service'
import { assertMigrated, type Database, type DatabaseOptions, openDatabase, READER_ROLE } from '@dexfeed/store'

/** Opens the database as its reader, until the shutdown. @throws an error if it is not migrated */
export async function openReaderDatabase(
  { settings, log, shutdown }: ProgramContext<ApiSettings>,
  options: DatabaseOptions,
): Promise<Database> {
  const own = settings.apiDatabaseUrl
  const { url, release } = await resolveDatabaseUrl({ databaseUrl: own ?? settings.databaseUrl }, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { ...options, role: own === null ? READER_ROLE : null, readOnly: true })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  return database
}
