import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import * as z from 'zod'
import { TABLE_NAMES, type TableName } from './tables.ts'

/** What names a day in the lake. */
export interface DayKey {
  network: NetworkName
  /** YYYY-MM-DD */
  date: string
}

/** The database counts on from the version in the lake. */
const MAX_VERSION = 1_000_000_000
const DATE = /^\d{4}-\d\d-\d\d$/

const file = z.object({
  file: z.string(),
  rows: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sums: z.record(z.string(), z.string()),
})

const manifest = z.object({
  schema_version: z.int().positive(),
  code_version: z.string(),
  network: z.enum(NETWORK_NAMES),
  date: z.string().regex(DATE),
  /** Increases whenever the day is written again. */
  version: z.int().positive().max(MAX_VERSION),
  /** The first and last block with rows; null without rows. */
  first_block: z.int().nullable(),
  last_block: z.int().nullable(),
  written_at: z.iso.datetime(),
  tables: z.record(z.enum(TABLE_NAMES), file),
})

export type Manifest = z.output<typeof manifest>

const MANIFESTS = 'manifests/'

export function manifestKey({ network, date }: DayKey): string {
  return `${MANIFESTS}network=${network}/date=${date}.json`
}

export function manifestsOf(network: NetworkName): string {
  return `${MANIFESTS}network=${network}/`
}

/** Returns the day of a key; null if it is not that of a manifest. */
export function dayOfManifest(key: string): DayKey | null {
  const [, name = '', date = ''] = /^manifests\/network=(\w+)\/date=([\d-]+)\.json$/.exec(key) ?? []
  const network = NETWORK_NAMES.find((known) => known === name)
  return network === undefined || !DATE.test(date) ? null : { network, date }
}

/** The folder of a table's files of all days. */
export function allFilesOf(table: TableName, network: NetworkName): string {
  return `table=${table}/network=${network}/`
}

/** The folder of a table's files of a day, one for each version. */
export function filesOf(table: TableName, { network, date }: DayKey): string {
  return `${allFilesOf(table, network)}date=${date}/`
}

export function fileKey(table: TableName, day: DayKey, version: number): string {
  return `${filesOf(table, day)}${version}.parquet`
}

/** Returns the date and the version of a key; null if it is not that of a file. */
export function parseFileKey(key: string): { date: string; version: number } | null {
  const [, date, version] = /^table=\w+\/network=\w+\/date=(\d{4}-\d\d-\d\d)\/(\d{1,10})\.parquet$/.exec(key) ?? []
  return date === undefined ? null : { date, version: Number(version) }
}

/**
 * Returns the manifest, or null if the text is not a manifest of that day. Anybody who can write to the lake could have
 * written it, so one that names files outside their usual places is refused.
 */
export function parseManifest(text: string, day: DayKey): Manifest | null {
  const parsed = manifest.safeParse(jsonOf(text))
  if (!parsed.success) return null
  const { network, date, version, tables } = parsed.data
  if (network !== day.network || date !== day.date) return null
  return TABLE_NAMES.every((table) => tables[table].file === fileKey(table, day, version)) ? parsed.data : null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
