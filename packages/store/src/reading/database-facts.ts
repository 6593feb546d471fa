import type { Database } from '../database/database.ts'

export interface DatabaseFacts {
  majorVersion: number
  isReplica: boolean
  freeConnections: number
}

export async function databaseFacts({ prisma }: Database): Promise<DatabaseFacts> {
  const [facts] = await prisma.$queryRaw<[DatabaseFacts]>`
    SELECT current_setting('server_version_num')::int / 10000 AS "majorVersion",
      pg_is_in_recovery() AS "isReplica",
      current_setting('max_connections')::int
        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS "freeConnections"`
  return facts
}
