import type { Client } from 'pg'

/** How often statements of a database's clients were seen at work, and waiting for a lock of another. */
export interface LockWaits {
  seen: number
  waiting: number
  /** The start of each statement that waited, with its count. */
  statements: Map<string, number>
}

const LOOK_EVERY_MS = 20

/** Looks at the server's statements every few milliseconds, until the returned function is called. */
export function watchLockWaits(client: Pick<Client, 'query'>): () => Promise<LockWaits> {
  const found: LockWaits = { seen: 0, waiting: 0, statements: new Map() }
  let looking: Promise<unknown> = Promise.resolve()
  const look = async () => {
    const { rows } = await client.query<{ waits: boolean; query: string }>(
      `SELECT wait_event_type IS NOT DISTINCT FROM 'Lock' AS waits, left(trim(query, E' \\n'), 60) AS query
       FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
    )
    found.seen += rows.length
    for (const { query } of rows.filter(({ waits }) => waits)) {
      found.waiting++
      found.statements.set(query, (found.statements.get(query) ?? 0) + 1)
    }
  }
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined)
  }, LOOK_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await looking
    return found
  }
}

export function lockText({ seen, waiting, statements }: LockWaits): string {
  const lines = [...statements].sort((a, b) => b[1] - a[1]).map(([query, count]) => `${count} ${query.split('\n')[0]}`)
  return [`${seen}, ${waiting}`, ...lines].join('\n    ')
}
