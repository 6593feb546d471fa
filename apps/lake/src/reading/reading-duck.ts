import { mkdirSync, rmSync } from 'node:fs'
import type { DuckDBValue } from '@duckdb/node-api'
import { openInstance, sortingIn } from '../duck.ts'

/** Beside that of the writer. */
const MEMORY = '150MB'
const MAX_SORTING = '5GB'
const INTERRUPT_MS = 20

export interface ReadingDuck {
  run(sql: string): Promise<void>
  /** Yields rows until the signal aborts, and then throws its reason. */
  rows(sql: string, signal: AbortSignal): AsyncIterable<readonly DuckDBValue[]>
  close(): void
}

/**
 * Opens a database in memory that runs several statements at a time and loads no extensions by itself. It writes to disk
 * only within `folder`.
 */
export async function openReadingDuck(folder: string): Promise<ReadingDuck> {
  const instance = await openInstance(folder, { memory: MEMORY, maxSorting: MAX_SORTING })
  return {
    async run(sql) {
      const connection = await instance.connect()
      try {
        await connection.run(sql)
      } finally {
        connection.closeSync()
      }
    },
    async *rows(sql, signal) {
      signal.throwIfAborted()
      // Another process may have cleared it.
      mkdirSync(sortingIn(folder), { recursive: true })
      const connection = await instance.connect()
      let interrupting: NodeJS.Timeout | undefined
      // A statement that begins just then forgets an interrupt.
      const interrupt = () => {
        interrupting = setInterval(() => connection.interrupt(), INTERRUPT_MS)
      }
      signal.addEventListener('abort', interrupt, { once: true })
      try {
        signal.throwIfAborted()
        const result = await connection.stream(sql)
        for await (const rows of result.yieldRows()) {
          signal.throwIfAborted()
          yield* rows
        }
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      } finally {
        signal.removeEventListener('abort', interrupt)
        clearInterval(interrupting)
        connection.closeSync()
      }
    },
    close() {
      instance.closeSync()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
