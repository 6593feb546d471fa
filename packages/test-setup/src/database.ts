import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import { closeAfter, closeOpen } from './close-after.ts'
import { TEMPLATE, withDatabase } from './database-url.ts'

export { closeAfter, temporaryFolder } from './close-after.ts'

/** A pool's end() returns before the server has noticed that its clients have disconnected. */
const CLOSE_MS = 5_000

const made: string[] = []

/**
 * Creates a database with the current schema and no rows. Returns the owner's connection string. The database is
 * dropped after the test file, which fails if a test left a connection open.
 *
 * Postgres does not copy privileges on the database itself; `migrate` grants them.
 */
export async function testDatabase(): Promise<string> {
  return track(await create(copyOf(TEMPLATE)))
}

/**
 * Like `testDatabase`, with the rows of `fill`, which runs once per scene and test run.
 *
 * @param scene names everything that the rows depend on
 */
export async function sceneDatabase(scene: string, fill: (databaseUrl: string) => Promise<void>): Promise<string> {
  const name = `scene_${createHash('sha256').update(scene).digest('hex').slice(0, 16)}`
  await withOwner(async (owner) => {
    // Other workers that need the scene wait here until this connection ends.
    await owner.query('SELECT pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await owner.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount !== 0) return
    const filled = await create(copyOf(TEMPLATE))
    await fill(urlOf(filled))
    await owner.query(`ALTER DATABASE ${filled} RENAME TO ${name}`)
  })
  return track(await create(copyOf(name)))
}

export async function emptyDatabase(): Promise<string> {
  return track(await create(''))
}

/** Opens a connection that is closed after the test. The server may end it earlier. */
export async function connectTo(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl })
  client.on('error', () => undefined)
  closeAfter(() => client.end())
  await client.connect()
  return client
}

/** Uses a new connection, because the server may have restarted. */
export function queryOnce<T extends object>(databaseUrl: string, statement: string): Promise<T[]> {
  return withClient(databaseUrl, async (client) => (await client.query<T>(statement)).rows)
}

export async function closeFile(): Promise<void> {
  await closeOpen()
  if (made.length > 0) await withOwner((owner) => dropAll(owner, made.splice(0)))
}

/** The default strategy writes every page to the write-ahead log and takes three times as long. */
const copyOf = (template: string) => `TEMPLATE ${template} STRATEGY file_copy`

const urlOf = (name: string) => withDatabase(inject('postgresUrl'), name)

async function create(clause: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await withOwner((owner) => owner.query(`CREATE DATABASE ${name} ${clause}`))
  return name
}

function track(name: string): string {
  made.push(name)
  return urlOf(name)
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
    await delay(5)
  }
}

function withOwner<T>(work: (owner: Client) => Promise<T>): Promise<T> {
  return withClient(inject('postgresUrl'), work)
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
