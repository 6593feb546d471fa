import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { codeOf } from '../store-error.ts'
import type { MigrateLog } from './migrate-log.ts'
import { READER_ROLE } from './reader-role.ts'
import { scramVerifier } from './scram-verifier.ts'
import { onSharedCatalog } from './shared-catalog.ts'

const INSUFFICIENT_PRIVILEGE = '42501'
/** Marks the users that were made here: only their passwords are ever changed. */
const MADE_HERE = 'made by dexfeed migrate'

/**
 * Makes the user that `apiUrl` names able to log in with its password and to read as READER_ROLE. A user that somebody
 * else made keeps its password and only becomes a member. The user of `client` itself is left alone.
 */
export async function ensureApiUser(client: Client, apiUrl: string, log: MigrateLog): Promise<void> {
  const { user, password } = parseIntoClientConfig(apiUrl)
  if (user === undefined || user === client.user) return
  try {
    await onSharedCatalog(() => ensureLogin(client, user, typeof password === 'string' ? password : undefined))
    await onSharedCatalog(() => ensureMember(client, user))
  } catch (error) {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
    log.warn({ user, reason: String(error) }, 'could not make the user of the API: the owner of the database may not')
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
  } else if (found.note === MADE_HERE && secret) {
    await client.query(`ALTER ROLE ${name} LOGIN${secret}`)
  }
}

async function ensureMember(client: Client, user: string): Promise<void> {
  const { rows } = await client.query<{ member: boolean }>(`SELECT pg_has_role($1, $2, 'USAGE') AS member`, [
    user,
    READER_ROLE,
  ])
  if (!rows[0]?.member) await client.query(`GRANT ${READER_ROLE} TO ${escapeIdentifier(user)}`)
}
