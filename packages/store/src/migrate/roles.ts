import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { present } from '@dexfeed/dex'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { codeOf } from '../store-error.ts'

export interface MigrateLog {
  info(object: object, message: string): void
  warn(object: object, message: string): void
}

export const READER_ROLE = 'dexfeed_api'

const INSUFFICIENT_PRIVILEGE = '42501'

const OTHERWISE = 'the API reads as the owner, in read-only transactions'

/** Logs a warning for each step that the owner of the database may not do. */
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
    // Unless revoked, every user may create temporary tables, and before Postgres 15 also ordinary tables.
    `REVOKE CREATE, TEMPORARY ON DATABASE ${database} FROM PUBLIC, ${READER_ROLE}`,
    `REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${READER_ROLE}`,
    `GRANT CONNECT ON DATABASE ${database} TO ${READER_ROLE}`,
    `GRANT USAGE ON SCHEMA public TO ${READER_ROLE}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${READER_ROLE}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO ${READER_ROLE}`,
  ]
}

const MAX_CONNECTIONS = 100
const LIMITS = { statement_timeout: '10s', lock_timeout: '5s', idle_in_transaction_session_timeout: '5min' }
/** Marks users created here; only their passwords are ever changed. */
const MADE_HERE = 'made by dexfeed migrate'

/**
 * Lets the user of `apiUrl` log in and read as READER_ROLE, and creates that user if necessary. A user created
 * elsewhere keeps its password; the user of `client` is left alone.
 */
export async function ensureApiUser(client: Client, apiUrl: string, log: MigrateLog): Promise<void> {
  const { user, password } = parseIntoClientConfig(apiUrl)
  if (user === undefined || user === client.user) return
  try {
    await onSharedCatalog(() => ensureLogin(client, user, typeof password === 'string' ? password : undefined))
    await onSharedCatalog(() => ensureMember(client, user))
  } catch (error) {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
    log.warn(
      { user, reason: String(error) },
      'the owner of the database may not create the user of the API; create it yourself, or connect the API as the owner',
    )
  }
}

async function ensureLogin(client: Client, user: string, password: string | undefined): Promise<void> {
  const name = escapeIdentifier(user)
  const secret = password ? ` PASSWORD ${escapeLiteral(scramVerifier(password))}` : ''
  const { rows } = await client.query<{ note: string | null }>(
    `SELECT shobj_description(oid, 'pg_authid') AS note FROM pg_roles WHERE rolname = $1`,
    [user],
  )
  const found = rows[0]
  if (!found) {
    await client.query(`CREATE ROLE ${name} LOGIN${secret}; COMMENT ON ROLE ${name} IS ${escapeLiteral(MADE_HERE)}`)
  } else if (found.note !== MADE_HERE) return
  else if (secret) await client.query(`ALTER ROLE ${name} LOGIN${secret}`)
  await client.query(`ALTER ROLE ${name} CONNECTION LIMIT ${MAX_CONNECTIONS}`)
  for (const [limit, value] of Object.entries(LIMITS)) {
    await client.query(`ALTER ROLE ${name} SET ${limit} = ${escapeLiteral(value)}`)
  }
}

async function ensureMember(client: Client, user: string): Promise<void> {
  const { rows } = await client.query<{ member: boolean }>(`SELECT pg_has_role($1, $2, 'USAGE') AS member`, [
    user,
    READER_ROLE,
  ])
  if (!rows[0]?.member) await client.query(`GRANT ${READER_ROLE} TO ${escapeIdentifier(user)}`)
}

const ITERATIONS = 4096

/**
 * Returns what Postgres stores for a password (RFC 5803), so that the password appears neither in the server's log nor
 * in pg_stat_statements.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256')
  const stored = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64')
  const server = hmac(salted, 'Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** duplicate_object, unique_violation, internal_error ("tuple concurrently updated"), conflicts. */
const RACES = new Set(['42710', '23505', 'XX000', '40001', '40P01'])
const ATTEMPTS = 20

/**
 * Repeats a step on what all databases of a cluster share (roles, memberships) if a migration of another database
 * interferes, because advisory locks apply to one database only.
 */
async function onSharedCatalog<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (!RACES.has(codeOf(error) ?? '') || attempt === ATTEMPTS) throw error
      await delay(Math.random() * 20 * attempt)
    }
  }
}
