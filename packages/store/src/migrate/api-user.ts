import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { codeOf } from '../store-error.ts'
import { type MigrateLog, READER_ROLE } from './reader-role.ts'
import { onSharedCatalog } from './shared-catalog.ts'

const MAX_CONNECTIONS = 100
/** Besides those that a program sets itself. */
const LIMITS = { statement_timeout: '10s', lock_timeout: '5s', idle_in_transaction_session_timeout: '5min' }
const INSUFFICIENT_PRIVILEGE = '42501'
/** Marks users created here: only their passwords are ever changed. */
const MADE_HERE = 'made by dexfeed migrate'

/**
 * Creates or updates the user that `apiUrl` names, so that it can log in and read as READER_ROLE. A user created
 * elsewhere keeps its password; `client`'s own user is left alone.
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
 * Returns what Postgres stores for a password (RFC 5803), as psql's `\password` does. The password stays out of the
 * server's log and of pg_stat_statements.
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
