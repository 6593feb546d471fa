import { join } from 'node:path'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { createLogger, type Logger, projectRoot } from '@dexfeed/service'
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  openReader,
  READER_ROLE,
  type Reader,
  type ReaderOptions,
} from '@dexfeed/store'
import { closeAfter, connectTo, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import type { Client } from 'pg'
import { Registry } from 'prom-client'
import { type ApiOptions, type RunningApi, startApi } from '../src/start-api.ts'

/** An API on a separate database, and a connection of the owner that fills it. Both end with the test. */
export interface ApiFixture {
  owner: Client
  ownerUrl: string
  database: Database
  reader: Reader
  api: RunningApi
  registry: Registry
  /** Sets the API's clock, in seconds. It does not move by itself. */
  setTime(seconds: number): void
  /** Notifies the API of a commit, and waits until it has noticed one. */
  committed(): Promise<void>
  get(path: string, init?: RequestInit): Promise<Reply>
  /** Opens a second connection of the owner. */
  connectOwner(): Promise<Client>
}

interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  body: any
}

export interface FixtureOptions
  extends Partial<ApiOptions>,
    Pick<DatabaseOptions, 'max' | 'patience' | 'connectTimeoutMs'> {
  reading?: ReaderOptions
  wrapReader?: (reader: Reader) => Reader
  statementTimeoutMs?: number
  fill?: (owner: Client) => Promise<void>
  ownerUrl?: string
  /** Returns the URL by which the API reaches the database, for example through a proxy. */
  way?: (url: string) => Promise<string>
}

const LAST_NOTIFIED = NETWORK_NAMES.at(-1)

/** The first time of a fixture's clock: a Saturday, 12:00 UTC. */
export const NOON = Date.UTC(2026, 10, 21, 12) / 1000

export async function openFixture(options: FixtureOptions = {}): Promise<ApiFixture> {
  const ownerUrl = options.ownerUrl ?? (await testDatabase())
  const connectOwner = () => connectTo(ownerUrl)
  const owner = await connectOwner()
  await options.fill?.(owner)
  const database = await openDatabase((await options.way?.(ownerUrl)) ?? ownerUrl, {
    applicationName: 'dexfeed-api-test',
    role: READER_ROLE,
    readOnly: true,
    statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
    max: options.max ?? 6,
    ...(options.patience && { patience: options.patience }),
    ...(options.connectTimeoutMs && { connectTimeoutMs: options.connectTimeoutMs }),
  })
  closeAfter(() => database.close())
  let time = NOON
  const folder = temporaryFolder()
  const reader = openReader(database, options.reading)
  const registry = new Registry()
  const api = await startApi({
    registry,
    reader: options.wrapReader?.(reader) ?? reader,
    log: quietLogger(),
    host: '127.0.0.1',
    port: 0,
    rateLimitPerS: 0,
    maxQuoteAgeS: 120,
    readyPools: 100,
    networks: [],
    trustProxy: null,
    now: () => time,
    drainMs: 0,
    freshMs: 0,
    patienceMs: 60_000,
    figures: { figuresRest: 0, patienceMs: 60_000 },
    listCacheDir: folder,
    webDir: join(projectRoot(), 'apps', 'web', 'dist'),
    ...options,
  })
  const stop = closeAfter(() => api.stop())
  const waiting: (() => void)[] = []
  api.changes.subscribe(({ network }) => {
    // The feed repeats a change for some seconds without a network. That may be an earlier one.
    if (network === LAST_NOTIFIED) for (const resolve of waiting.splice(0)) resolve()
  })
  await api.loaded
  return {
    owner,
    ownerUrl,
    database,
    reader,
    api: { ...api, stop },
    registry,
    setTime: (seconds) => {
      time = seconds
    },
    connectOwner,
    async committed() {
      const noticed = new Promise<void>((resolve) => waiting.push(resolve))
      await owner.query(`SELECT pg_notify('dexfeed', name) FROM unnest($1::text[]) AS name`, [NETWORK_NAMES])
      await noticed
    },
    get: (path, init) => get(api.url + path, init),
  }
}

async function get(url: string, init?: RequestInit): Promise<Reply> {
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

function quietLogger(): Logger {
  return createLogger({ name: 'test', level: 'silent' })
}
