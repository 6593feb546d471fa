import type { Readable } from 'node:stream'
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { HOUR } from '@dexfeed/dex'

export interface ClickHouse {
  run(sql: string): Promise<void>
  /** Values as text. */
  rows(sql: string): Promise<readonly (readonly string[])[]>
  /** Runs an INSERT whose rows are `body`. */
  send(sql: string, body: Readable): Promise<void>
  close(): Promise<void>
}

export interface ClickHouseSettings {
  /** Its path names the database. */
  url: string
  user: string
  password: string
}

/** A file of a large day takes minutes. */
const RESPONSE_MS = HOUR
const SETTINGS = {
  // Otherwise a statement can fail after its response has begun.
  wait_end_of_query: 1,
  output_format_decimal_trailing_zeros: 1,
  // Files of an older schema.
  input_format_parquet_allow_missing_columns: 1,
} as const

export function openClickHouse({ url, user, password }: ClickHouseSettings, signal: AbortSignal): ClickHouse {
  const client = createClient({
    ...{ url, username: user, password, application: 'dexfeed-lake', request_timeout: RESPONSE_MS },
    clickhouse_settings: SETTINGS,
    log: { level: ClickHouseLogLevel.OFF },
  })
  const options = { abort_signal: signal }
  return {
    async run(query) {
      await client.command({ query, ...options })
    },
    async rows(query) {
      const answer = await client.query({ query, format: 'JSONCompactStringsEachRow', ...options })
      return answer.json<string[]>()
    },
    async send(query, body) {
      try {
        const { stream } = await client.exec({ query, values: body, ...options })
        stream.resume()
      } finally {
        body.destroy()
      }
    },
    close: () => client.close(),
  }
}

/** Whether the statement names a table that does not exist. */
export function isUnknownTable(error: unknown): boolean {
  return error instanceof ClickHouseError && error.type === 'UNKNOWN_TABLE'
}
