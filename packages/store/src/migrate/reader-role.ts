import { present } from '@dexfeed/dex'
import { type Client, escapeIdentifier } from 'pg'
import { codeOf } from '../store-error.ts'
import { onSharedCatalog } from './shared-catalog.ts'

/** The part of a pino logger that migrations use. */
export interface MigrateLog {
  info(object: object, message: string): void
  warn(object: object, message: string): void
}

/** May read everything in this database and change nothing; cannot log in. */
export const READER_ROLE = 'dexfeed_api'

const INSUFFICIENT_PRIVILEGE = '42501'

const OTHERWISE = 'the API reads as the owner, in read-only transactions'

/**
 * Creates the role, lets the owner use it, and sets its privileges. Logs a warning for each step that the owner may not
 * do.
 */
export async function ensureReaderRole(client: Client, log: MigrateLog): Promise<void> {
  const allowed = async (what: string, step: () => Promise<unknown>) => {
    try {
      await step()
      return true
    } catch (error) {
      if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, `the owner of the database may not ${what}`)
      return false
    }
  }
  if (!(await allowed(`create the role ${READER_ROLE}; ${OTHERWISE}`, () => onSharedCatalog(() => createRole(client)))))
    return
  await allowed(`use the role ${READER_ROLE}; ${OTHERWISE}`, () => onSharedCatalog(() => letOwnerUse(client)))
  for (const sql of await rights(client))
    await allowed(`set rights; run this as a superuser: ${sql}`, () => client.query(sql))
}

async function createRole(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [READER_ROLE])
  if (rowCount === 0) await client.query(`CREATE ROLE ${READER_ROLE} NOLOGIN`)
}

async function letOwnerUse(client: Client): Promise<void> {
  // A superuser may use every role without being a member.
  const { rowCount } = await client.query(
    `SELECT FROM pg_roles WHERE rolname = current_user AND NOT rolsuper AND oid NOT IN (
       SELECT member FROM pg_auth_members WHERE roleid = (SELECT oid FROM pg_roles WHERE rolname = $1)
       AND ${await memberMaySet(client)})`,
    [READER_ROLE],
  )
  if (rowCount === 1) await client.query(`GRANT ${READER_ROLE} TO CURRENT_USER`)
}

/** Since Postgres 16 the creator of a role is a member that may grant the role but not use it. */
async function memberMaySet(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  )
  return present(rows[0]).version >= 160_000 ? 'set_option' : 'true'
}

async function rights(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name')
  const database = escapeIdentifier(rows[0]?.name ?? '')
  return [
    // Every user may create temporary tables, and before Postgres 15 tables, unless this is revoked.
    `REVOKE CREATE, TEMPORARY ON DATABASE ${database} FROM PUBLIC, ${READER_ROLE}`,
    `REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${READER_ROLE}`,
    `GRANT CONNECT ON DATABASE ${database} TO ${READER_ROLE}`,
    `GRANT USAGE ON SCHEMA public TO ${READER_ROLE}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${READER_ROLE}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO ${READER_ROLE}`,
  ]
}
