import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { migrationsFolder } from '../src/migrate/migration-history.ts'

/** Files with the statements on a table, unless it is the file named after the table. */
const FILES: Record<string, string[]> = {
  swap: [
    ...['swap/swap', 'swap/swap-list', 'swap/swap-search', 'swap/blocks-of-times'],
    ...['swap/trader-count', 'swap/swap-hop', 'day-partition'],
  ],
  list_cell: ['swap/list-cell'],
  pool_hour: ['liquidity-hour'],
  swap_hop: ['swap/swap-hop'],
  pool_candle: ['rollups/pool-candle'],
  token_volume: ['rollups/token-volume'],
  token_flow: ['rollups/token-flow'],
  hour_volume: ['rollups/hour-volume'],
  day_address_count: ['day-trader'],
  listed_symbol: ['token'],
  unread_pool: ['unread-pool'],
  invalidated_pool: ['invalidated-pool', 'pool-state'],
  pool_check: ['audit'],
  awaited_key: ['keys/awaited-key'],
  key_search: ['keys/key-search'],
  pool_key: ['keys/pool-key'],
  unconfirmed_denial: ['keys/unconfirmed-denial'],
  backfill_rate: ['status/backfill-rate'],
  unknown_header: ['status/unknown-header'],
  network_activity: ['status/network-activity'],
  venue_coverage: ['status/venue-coverage'],
  unread_venue: ['status/venue-coverage'],
  wash_day: ['wash'],
  pool_day_wash: ['wash'],
}

/** Other tables that a file's statements read or change. A join belongs to the file of its main table. */
const JOINS: Record<string, string[]> = {
  'awaited-value': ['swap', 'token'],
  'day-total': ['network'],
  'day-trader': ['network'],
  'lake-day': ['awaited_value', 'block', 'covered_range', 'day_total', 'kept_days', 'network', 'swap'],
  'liquidity-event': ['pool', 'pool_creation'],
  'liquidity-hour': ['invalidated_pool'],
  'network-rollback': ['network'],
  'pool-creation': ['pool'],
  'pool-state': ['pool'],
  'rollups/hour-volume': ['pool'],
  'rollups/pool-candle': ['pool'],
  'rollups/token-flow': ['network'],
  'swap/list-cell': ['network'],
  'swap/swap': ['network', 'pool'],
  'swap/swap-hop': ['pool'],
  'swap/swap-search': ['network', 'pool', 'swap_hop'],
  'swap/trader-count': ['network', 'pool', 'swap_hop'],
  token: ['pool'],
  'unread-pool': ['network', 'pool'],
  wash: ['block', 'covered_range', 'day_total', 'network', 'pool', 'swap'],
}

/** Files that bypass Prisma (each says why), plus the connection files, which query their role and backend. */
const PAST_PRISMA = [
  'database/connection-config.ts',
  'database/keep-alive-client.ts',
  'database/notifications.ts',
  'database/reading-session.ts',
  'database/session-settings.ts',
  'database/watched-client.ts',
  'reading/rows-of-day.ts',
  'tables/swap/copy-rows.ts',
  'writing/claim-networks.ts',
  'writing/lake-lock.ts',
  'writing/search-keys.ts',
  'writing/whole-days.ts',
  'writing/writer-lease.ts',
]

const source = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(generated|migrate)\//.test(path))
  .map((path) => ({ path, code: withoutComments(readFileSync(join(source, path), 'utf8')) }))
const schema = readFileSync(join(migrationsFolder(), '..', 'schema.prisma'), 'utf8')
const tables = [...schema.matchAll(/^model (\w+) \{.*?@@map\("(\w+)"\)/gms)].map(([, model = '', table = '']) => ({
  model: model[0]?.toLowerCase() + model.slice(1),
  table,
}))

function filesOf({ table }: (typeof tables)[number]): string[] {
  return (FILES[table] ?? [table.replaceAll('_', '-')]).map((file) => `tables/${file}.ts`)
}

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*.*?\*\/|^\s*\/\/[^\n]*$/gms, '')
}

/** Returns whether the code has a statement that changes rows of the table. */
function writes(code: string, { model, table }: (typeof tables)[number]): boolean {
  const sql = String.raw`\b(?:INTO|UPDATE|DELETE FROM|COPY|TRUNCATE)\s+(?:TABLE |ONLY )?${table}\b`
  return new RegExp(sql).test(code) || new RegExp(String.raw`\.${model}\.(?:create|update|upsert|delete)`).test(code)
}

function touches(code: string, { model, table }: (typeof tables)[number]): boolean {
  const sql = String.raw`\b(?:FROM|INTO|UPDATE|JOIN|USING|TABLE|COPY|NULL::|ONLY)\s*${table}\b(?!\()`
  return new RegExp(sql).test(code) || new RegExp(String.raw`\b(?:prisma|tx|db)\.${model}\.`).test(code)
}

describe('a table', () => {
  it.each(tables)('$table is read and written in its own files alone', (table) => {
    const joins = Object.keys(JOINS).filter((file) => JOINS[file]?.includes(table.table))
    const found = files.filter(({ code }) => touches(code, table)).map(({ path }) => path)
    expect(found.sort()).toEqual([...filesOf(table), ...joins.map((file) => `tables/${file}.ts`)].sort())
  })

  it.each(tables)('$table is written in its own files alone, where others may join it', (table) => {
    const writers = files.filter(({ code }) => writes(code, table)).map(({ path }) => path)
    expect(writers.filter((path) => !filesOf(table).includes(path))).toEqual([])
    expect(writers).not.toEqual([])
  })
})

describe('Prisma', () => {
  it('is used by typed calls and tagged templates alone', () => {
    expect(files.filter(({ code }) => code.includes('Unsafe')).map(({ path }) => path)).toEqual([])
  })

  it('is bypassed in the named files alone', () => {
    const found = files.filter(({ code }) => /\.query[(<]/.test(code)).map(({ path }) => path)
    expect(found.sort()).toEqual(PAST_PRISMA)
  })
})
