import { type CopiedKind, ROWS_OF_DAY, type RowsName } from '@dexfeed/store'
import { quoted } from './duck.ts'

const CSV_TYPES: Partial<Record<CopiedKind, string>> = {
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  usd: 'DECIMAL(38,8)',
  time: 'BIGINT',
}

/** By default, DuckDB holds several buffers of 32 MB. No line is as long as this. */
const BUFFER_BYTES = 2 ** 21

/** Returns a SELECT of the rows that Postgres copies into the file, once. An amount becomes 32 bytes and a double. */
export function decodedRows(rows: RowsName, path: string): string {
  const columns = Object.entries<CopiedKind>(ROWS_OF_DAY[rows].columns)
  const names = columns.flatMap(([name, kind]) => (isAmount(kind) ? [name, wordOf(name)] : [name]))
  const kinds = new Map(columns)
  const typed = names.map((name) => `'${name}': '${CSV_TYPES[kinds.get(name) ?? 'hex'] ?? 'VARCHAR'}'`)
  const format = `buffer_size = ${BUFFER_BYTES}, auto_detect = false, header = false, delim = '\t', quote = '', escape = '', nullstr = '\\N'`
  return `SELECT ${columns.flatMap(([name, kind]) => decoded(name, kind)).join()}
    FROM read_csv(${quoted(path)}, columns = {${typed.join()}}, ${format})`
}

const isAmount = (kind: CopiedKind) => kind === 'amount' || kind === 'amounts'
const wordOf = (name: string) => `${name}_word`

function decoded(name: string, kind: CopiedKind): string[] {
  if (kind === 'hex') return [`unhex(${name}) AS ${name}`]
  if (kind === 'text') return [`decode(unhex(${name})) AS ${name}`]
  if (kind === 'time') return [`make_timestamptz(${name}) AS ${name}`]
  if (kind === 'hexes') return [`${listOf(name, 'unhex(item)')} AS ${name}`]
  if (kind === 'amounts') {
    return [`${listOf(wordOf(name), 'unhex(item)')} AS ${name}`, `${listOf(name, 'item::DOUBLE')} AS ${name}_double`]
  }
  if (kind !== 'amount') return [name]
  const word = `coalesce(${wordOf(name)}, lpad(hex(TRY_CAST(${name} AS UHUGEINT)), 64, '0'))`
  return [`unhex(${word}) AS ${name}`, `${name}::DOUBLE AS ${name}_double`]
}

/** Null if the list is empty. */
function listOf(name: string, item: string): string {
  return `CASE WHEN ${name} <> '' THEN list_transform(string_split(${name}, ','), lambda item: ${item}) END`
}
