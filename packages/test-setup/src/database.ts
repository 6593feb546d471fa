import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, inject } from 'vitest'
import { TEMPLATE, withDatabase } from './database-url.ts'

/** A pool's end() returns before the server has noticed that its clients are gone. */
const CLOSE_MS = 5_000

const made: string[] = []

/**
 * Connection string (of the owner) of a new database with the current schema and no rows. It is dropped after the
 * test file; a test that left a connection open fails then.
 *
 * Rights on the database itself are not copied (Postgres' rule): use `emptyDatabase` and `migrate` to test those.
 */
export async function testDatabase(): Promise<string> {
  return create(`TEMPLATE ${TEMPLATE}`)
}

/** Like `testDatabase`, without a schema. */
export async function emptyDatabase(): Promise<string> {
  return create('')
}

afterAll(async () => {
  if (made.length > 0) await withOwner((owner) => dropAll(owner, made.splice(0)))
})

async function create(clause: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await withOwner((owner) => owner.query(`CREATE DATABASE ${name} ${clause}`))
  made.push(name)
  return withDatabase(inject('postgresUrl'), name)
}

async function dropAll(owner: Client, names: readonly string[]): Promise<void> {
  const left = await connectionsLeft(owner, names)
  for (const name of names) await owner.query(`DROP DATABASE ${name} WITH (FORCE)`)
  if (left.length > 0) throw new Error(`connections left open by this test file: ${left.join(', ')}`)
}

async function connectionsLeft(owner: Client, names: readonly string[]): Promise<string[]> {
  const deadline = Date.now() + CLOSE_MS
  for (;;) {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT application_name || ' (' || state || ': ' || left(query, 80) || ')' AS name
       FROM pg_stat_activity WHERE datname = ANY ($1) AND backend_type = 'client backend'`,
      [names],
    )
    if (rows.length === 0 || Date.now() > deadline) return rows.map((row) => row.name)
    await delay(50)
  }
}

async function withOwner<T>(work: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: inject('postgresUrl') })
  await owner.connect()
  try {
    return await work(owner)
  } finally {
    await owner.end()
  }
}
