import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'

/** DuckDB sorts on disk beyond this. */
const MEMORY = '200MB'
const MAX_SORTING = '30GB'
const OPEN_POLL_MS = 5

export interface Duck {
  run(sql: string): Promise<void>
  /** Values as JSON. */
  rows(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Runs a statement, and gives the names of its columns and then its rows, separated by tabs. */
  lines(sql: string): AsyncGenerator<string, undefined>
  /**
   * Runs a statement that reads `text` once, with `read_csv` of the path that it gets. Throws what went wrong first.
   */
  read(text: Readable, statement: (path: string) => string): Promise<void>
  close(): void
}

/** Opens a database in memory that writes to disk only within `folder`, and loads no extensions. */
export function openInstance(
  folder: string,
  { memory, maxSorting }: { memory: string; maxSorting: string },
): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    memory_limit: memory,
    threads: '2',
    temp_directory: sortingIn(folder),
    max_temp_directory_size: maxSorting,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
}

export function sortingIn(folder: string): string {
  return join(folder, 'sorting')
}

/** Opens such a database with one connection. */
export async function openDuck(folder: string, signal: AbortSignal): Promise<Duck> {
  const instance = await openInstance(folder, { memory: MEMORY, maxSorting: MAX_SORTING })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const interrupt = () => connection.interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  return {
    async run(sql) {
      // An interrupt between statements stops none.
      signal.throwIfAborted()
      await connection.run(sql)
    },
    async rows(sql) {
      signal.throwIfAborted()
      return (await connection.runAndReadAll(sql)).getRowsJson()
    },
    lines: (sql) => linesOf(connection, sql),
    read: (text, statement) => readPipe(connection, { text, path: join(folder, 'rows'), statement }),
    close() {
      signal.removeEventListener('abort', interrupt)
      connection.closeSync()
      instance.closeSync()
    },
  }
}

async function* linesOf(connection: DuckDBConnection, sql: string): AsyncGenerator<string, undefined> {
  const result = await connection.stream(sql)
  yield result.columnNames().join('\t')
  for await (const rows of result.yieldRows()) for (const row of rows) yield row.map(shown).join('\t')
}

function shown(value: DuckDBValue): string {
  if (value === null) return ''
  if (value instanceof DuckDBBlobValue) return `0x${Buffer.from(value.bytes).toString('hex')}`
  // Its own text is in the time zone of the process.
  if (value instanceof DuckDBTimestampTZValue) return new Date(Number(value.micros / 1_000n)).toISOString()
  if (value instanceof DuckDBListValue) return value.items.map(shown).join(' ')
  return String(value).replace(/[\\\p{Cc}]/gu, escaped)
}

function escaped(character: string): string {
  if (character === '\\') return '\\\\'
  if (character === '\t') return '\\t'
  if (character === '\n') return '\\n'
  return `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`
}

/** Rows go through a named pipe, so that neither memory nor disk holds them all. */
async function readPipe(
  connection: DuckDBConnection,
  { text, path, statement }: { text: Readable; path: string; statement: (path: string) => string },
): Promise<void> {
  // It may fail before it is read.
  text.on('error', () => undefined)
  await rm(path, { force: true })
  await promisify(execFile)('mkfifo', [path])
  const reading = { hasEnded: false }
  const read = connection.run(statement(path)).finally(() => {
    reading.hasEnded = true
  })
  const [sent, done] = await Promise.allSettled([sendTo(path, text, reading), read])
  await rm(path, { force: true })
  // If the reader fails, the pipe breaks, too.
  if (sent.status === 'rejected' && sent.reason.code !== 'EPIPE') throw sent.reason
  if (done.status === 'rejected') throw done.reason
  if (sent.status === 'rejected') throw sent.reason
}

async function sendTo(path: string, text: Readable, reading: { hasEnded: boolean }): Promise<void> {
  const file = await openForReader(path, reading)
  if (file === null) {
    text.destroy()
    return
  }
  await pipeline(text, new Socket({ fd: file, readable: false, writable: true }))
}

/** A pipe without a reader would lose what is written. Returns null if the reader has ended before it opened the pipe. */
async function openForReader(path: string, reading: { hasEnded: boolean }): Promise<number | null> {
  while (!reading.hasEnded) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') {
        await releaseReader(path, reading)
        throw error
      }
      await delay(OPEN_POLL_MS)
    }
  }
  return null
}

/** A reader that waits for a writer cannot be interrupted, and would keep the process from ending. */
async function releaseReader(path: string, reading: { hasEnded: boolean }): Promise<void> {
  while (!reading.hasEnded) {
    try {
      closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
    } catch {
      // Without free file descriptors, it waits for one.
    }
    await delay(OPEN_POLL_MS)
  }
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
