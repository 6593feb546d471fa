import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { columnsOf, csvWriter, V1_ROUTES, type V1Row, valueAt } from '@dexfeed/contract'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { ExportFormat } from './export-arguments.ts'

type ExportRow = V1Row<'searchSwaps'>

export interface RowFile {
  add(rows: readonly ExportRow[]): Promise<void>
  finish(facts: Readonly<Record<string, string>>): Promise<void>
  abandon(): void
}

export function openRowFile(format: ExportFormat, path: string): RowFile {
  return format === 'csv' ? openCsv(path) : openParquet(path)
}

function openCsv(path: string): RowFile {
  const write = csvWriter(V1_ROUTES.searchSwaps.row)
  const [heading = ''] = write([]).split('\r\n')
  const file = createWriteStream(path, { flags: 'wx' })
  let failure: Error | null = null
  file.on('error', (error) => {
    failure = error
  })
  file.write(`${heading}\r\n`)
  return {
    async add(rows) {
      if (failure !== null) throw failure
      const text = write(rows).slice(heading.length + 2)
      if (!file.write(text)) await once(file, 'drain')
    },
    async finish() {
      if (failure !== null) throw failure
      file.end()
      await once(file, 'finish')
    },
    abandon: () => void file.destroy(),
  }
}

const TYPES = {
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  block: { type: 'INT64' },
  integer: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  other: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
} as const

/**
 * API text that Parquet stores as numbers. Amounts stay text: they have up to 78 digits, too many for the usual number
 * types.
 */
const NUMBERS = new Map<string, keyof typeof TYPES>([
  ['block_number', 'block'],
  ['sell_token.decimals', 'integer'],
  ['buy_token.decimals', 'integer'],
])

const COLUMNS = columnsOf(V1_ROUTES.searchSwaps.row).map((column) => ({
  ...column,
  type: NUMBERS.get(column.name) ?? column.kind,
}))

function cellOf(row: ExportRow, column: (typeof COLUMNS)[number]): unknown {
  const value = valueAt(row, column.path)
  if (value === null) return null
  if (column.type === 'time') return new Date(String(value))
  if (column.type === 'block') return BigInt(String(value))
  if (column.type === 'integer') return Number(value)
  if (column.type === 'json') return JSON.stringify(value)
  return Array.isArray(value) ? value.join(' ') : value
}

const GROUP_ROWS = 20_000

function openParquet(path: string): RowFile {
  const schema = COLUMNS.map(({ name, type }) => ({ name, ...TYPES[type], repetition_type: 'OPTIONAL' as const }))
  const file = fileWriter(path)
  const parquet = new ParquetWriter({
    writer: file,
    schema: [{ name: 'swaps', num_children: schema.length }, ...schema],
  })
  let waiting: ExportRow[] = []
  const pack = async (rows: readonly ExportRow[]) => {
    if (rows.length === 0) return
    const columnData = COLUMNS.map((column) => ({ name: column.name, data: rows.map((row) => cellOf(row, column)) }))
    await parquet.write({ columnData, rowGroupSize: rows.length })
  }
  return {
    async add(rows) {
      for (const row of rows) waiting.push(row)
      if (waiting.length < GROUP_ROWS) return
      const full = waiting
      waiting = []
      await pack(full)
    },
    async finish(facts) {
      await pack(waiting)
      parquet.kvMetadata = Object.entries(facts).map(([key, value]) => ({ key: `dexfeed.${key}`, value }))
      await parquet.finish()
    },
    abandon: () => undefined,
  }
}
