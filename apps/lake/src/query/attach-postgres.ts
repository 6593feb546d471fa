import { type Duck, quoted } from '../duck.ts'

/**
 * Attaches a database as `pg`, to be read only. DuckDB does that by an extension, which it downloads when it is first used.
 * Returns why that failed, without what DuckDB says, which may quote the URL; null if it has not.
 */
export async function attachPostgres(duck: Pick<Duck, 'run'>, url: string): Promise<string | null> {
  try {
    await duck.run('LOAD postgres').catch(() => duck.run('INSTALL postgres; LOAD postgres'))
  } catch {
    return "DuckDB's extension postgres could not be loaded: it needs the internet once"
  }
  try {
    await duck.run(`ATTACH ${quoted(url)} AS pg (TYPE postgres, READ_ONLY)`)
    return null
  } catch {
    return 'DuckDB could not connect to DATABASE_URL'
  }
}
