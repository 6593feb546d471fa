import { checkMigrateEnvironment, resolveDatabaseUrl, runProgram } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'

runProgram('migrate', checkMigrateEnvironment, async ({ settings, log, shutdown }) => {
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const { applied } = await migrate(url, { apiUrl: settings.apiDatabaseUrl ?? undefined, log })
  for (const name of applied) console.log(`applied ${name}`)
  if (applied.length === 0) console.log('the database is up to date')
  shutdown.begin('done', 0)
})
