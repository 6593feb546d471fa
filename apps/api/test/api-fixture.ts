import { createLogger, type Logger } from '@dexfeed/service'
import { type Database, openDatabase, openReader, READER_ROLE, type SwapWindowOptions } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { Client } from 'pg'
import { type ApiOptions, type RunningApi, startApi } from '../src/start-api.ts'

/** An API on a database of its own, and the owner's connection to fill that. */
export interface ApiFixture {
  owner: Client
  ownerUrl: string
  database: Database
  api: RunningApi
  /** Moves the API's clock, which stands still otherwise. Seconds. */
  setTime(seconds: number): void
  get(path: string, init?: RequestInit): Promise<Reply>
  close(): Promise<void>
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  body: any
}

export interface FixtureOptions extends Partial<ApiOptions> {
  reading?: SwapWindowOptions
  /** Connections of the API's pool. */
  max?: number
  statementTimeoutMs?: number
  fill?: (owner: Client) => Promise<void>
}

/** What the clock of a fixture shows at first: a Saturday, 12:00 UTC. */
export const NOON = Date.UTC(2026, 10, 21, 12) / 1000

export async function openFixture(options: FixtureOptions = {}): Promise<ApiFixture> {
  const ownerUrl = await testDatabase()
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  await options.fill?.(owner)
  const database = await openDatabase(ownerUrl, {
    applicationName: 'dexfeed-api-test',
    role: READER_ROLE,
    readOnly: true,
    statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
    max: options.max ?? 6,
  })
  let time = NOON
  const api = await startApi({
    database,
    reader: openReader(database, options.reading),
    log: quietLogger(),
    host: '127.0.0.1',
    port: 0,
    rateLimitPerS: 0,
    maxQuoteAgeS: 120,
    trustProxy: null,
    now: () => time,
    drainMs: 0,
    ...options,
  })
  await api.loaded
  return {
    owner,
    ownerUrl,
    database,
    api,
    setTime: (seconds) => {
      time = seconds
    },
    get: (path, init) => get(api.url + path, init),
    async close() {
      await api.stop()
      await database.close()
      await owner.end()
    },
  }
}

export async function get(url: string, init?: RequestInit): Promise<Reply> {
  const response = await fetch(url, init)
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  return { status: response.status, headers: response.headers, text, body }
}

export function quietLogger(): Logger {
  return createLogger({ name: 'test', level: 'silent' })
}
