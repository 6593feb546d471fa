import { checkMigrateEnvironment, command, resolveDatabaseUrl } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'

export const run = command(
  'migrate',
  () => checkMigrateEnvironment,
  async ({ settings, log, output, shutdown }) => {
    const { url, release } = await resolveDatabaseUrl(settings, { log })
    shutdown.add('database server', release)
    const { applied } = await migrate(url, { apiUrl: settings.apiDatabaseUrl ?? undefined, log })
    for (const name of applied) output.stdout.write(`applied ${name}\n`)
    if (applied.length === 0) output.stdout.write('the database is up to date\n')
    shutdown.begin('done', 0)
  },
)
