import { quoted } from '../duck.ts'
import type { DayKey, Manifest } from '../manifest.ts'
import { type LakeTable, PRICES_LIKE_OPEN, TABLE_NAMES, TABLES, type TableName } from '../tables.ts'

// The statements that load a day. They follow from `TABLES`.

const TYPES: Record<string, string> = {
  BIGINT: 'Int64',
  BLOB: 'String',
  BOOLEAN: 'Bool',
  'DECIMAL(38,8)': 'Decimal(38, 8)',
  DOUBLE: 'Float64',
  INTEGER: 'Int32',
  SMALLINT: 'Int16',
  TIMESTAMPTZ: "DateTime64(6, 'UTC')",
  VARCHAR: 'String',
}
const AMOUNT = 'UInt256'

interface Column {
  name: string
  /** Its type in a file. */
  fileType: string
  type: string
  /** Its value, from the column of a file. */
  value: string
}

/** Returns a table's columns, without `network` and `date`. */
function columnsOf(table: TableName): Column[] {
  const { columns, order }: LakeTable = TABLES[table]
  const names = columns.map(([name]) => name)
  const isKey = (name: string) => order.split(', ').includes(name)
  return columns.map(([name, duckType]) => {
    const item = duckType.replace('[]', '')
    const itemType = TYPES[item]
    if (itemType === undefined) throw new Error(`ClickHouse has no type for ${duckType}`)
    const isList = item !== duckType
    const wrapped = (type: string) => (isList ? `Array(${type})` : isKey(name) ? type : `Nullable(${type})`)
    const shared = { name, fileType: wrapped(itemType) }
    if (!names.includes(`${name}_double`)) return { ...shared, type: wrapped(itemType), value: name }
    const bytes = PRICES_LIKE_OPEN.includes(name) ? `coalesce(${name}, open)` : name
    const value = isList ? `arrayMap(item -> ${numberOf('item')}, ${name})` : numberOf(bytes)
    return { ...shared, type: wrapped(AMOUNT), value }
  })
}

/** Files have the highest byte first, ClickHouse the lowest. */
function numberOf(bytes: string): string {
  return `reinterpretAsUInt256(reverse(${bytes}))`
}

/** The version of each day that has been loaded. */
export const DAYS_TABLE = 'lake_days'

/** Statements that make the tables, and add columns that are new. */
export function createTables(): string[] {
  const days = `CREATE TABLE IF NOT EXISTS ${DAYS_TABLE} (
  network String,
  date Date,
  version UInt32,
  written_at String,
  loaded_at DateTime64(3, 'UTC') DEFAULT now64(3)
) ENGINE = ReplacingMergeTree(loaded_at) ORDER BY (network, date)`
  return [days, ...TABLE_NAMES.map(createTable), ...TABLE_NAMES.map(addColumns)]
}

export function createTable(table: TableName): string {
  const { order }: LakeTable = TABLES[table]
  const columns = columnsOf(table).map(({ name, type }) => `  ${name} ${type}`)
  return `CREATE TABLE IF NOT EXISTS ${table} (
  network LowCardinality(String),
  date Date,
${columns.join(',\n')}
) ENGINE = MergeTree PARTITION BY (network, date)
ORDER BY (${order.replaceAll(' NULLS FIRST', '')}) SETTINGS allow_nullable_key = 1`
}

function addColumns(table: TableName): string {
  const columns = columnsOf(table).map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`)
  return `ALTER TABLE ${table} ${columns.join(', ')}`
}

/** Returns a statement whose body is a file of the day. */
export function insertFile(into: string, table: TableName, { network, date }: DayKey): string {
  const columns = columnsOf(table)
  const names = ['network', 'date', ...columns.map(({ name }) => name)]
  const values = [quoted(network), `toDate(${quoted(date)})`, ...columns.map(({ value }) => value)]
  const structure = columns.map(({ name, fileType }) => `${name} ${fileType}`).join(', ')
  return `INSERT INTO ${into} (${names.join(', ')}) SELECT ${values.join(', ')} FROM input(${quoted(structure)}) FORMAT Parquet`
}

/** One row: the number of rows, and the sums of the manifest in its order. */
export function countRows(of: string, sums: Manifest['tables'][TableName]['sums']): string {
  const list = Object.keys(sums).map((column) => `ifNull(sum(${column}), 0)`)
  return `SELECT ${['count()', ...list].join(', ')} FROM ${of}`
}

export function partitionOf({ network, date }: DayKey): string {
  return `(${quoted(network)},${quoted(date)})`
}
