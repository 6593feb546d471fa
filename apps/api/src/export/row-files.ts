import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { csvWriter, V1_ROUTES, type V1Row } from '@dexfeed/contract'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { ExportFormat } from './export-arguments.ts'

/** A trade as `/v1/swaps` lists it. */
type ExportRow = V1Row<'searchSwaps'>

/** A file of rows that is being written. */
export interface RowFile {
  add(rows: readonly ExportRow[]): Promise<void>
  /** Whole when it settles. */
  finish(facts: Readonly<Record<string, string>>): Promise<void>
  /** Gives it up. */
  abandon(): void
}

export function openRowFile(format: ExportFormat, path: string): RowFile {
  return format === 'csv' ? openCsv(path) : openParquet(path)
}

/** The columns that `/v1/swaps` has as CSV; what the file is about has no place in it. */
function openCsv(path: string): RowFile {
  const write = csvWriter(V1_ROUTES.searchSwaps.row)
  const [heading = ''] = write([]).split('\r\n')
  const file = createWriteStream(path, { flags: 'wx' })
  // Whoever adds next, or finishes, meets it.
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

type Column = readonly [name: string, type: ColumnType, value: (row: ExportRow) => unknown]
type ColumnType = 'time' | 'text' | 'block' | 'number' | 'boolean'

const leg = (side: 'sell_token' | 'buy_token'): Column[] => [
  [`${side}.name`, 'text', (row) => row[side].name],
  [`${side}.symbol`, 'text', (row) => row[side].symbol],
  [`${side}.decimals`, 'number', ({ [side]: { decimals } }) => (decimals === null ? null : Number(decimals))],
  [`${side}.address`, 'text', (row) => row[side].address],
  [`${side}.amount`, 'text', (row) => row[side].amount],
  [`${side}.amount_decimal`, 'text', (row) => row[side].amount_decimal],
]

/** Amounts have up to 78 digits, more than any number of Parquet that readers agree on: they are text, as values are. */
const COLUMNS: readonly Column[] = [
  ['time', 'time', ({ time }) => new Date(time)],
  ['network', 'text', ({ network }) => network],
  ['block_number', 'block', ({ block_number }) => BigInt(block_number)],
  ['tx_hash', 'text', ({ tx_hash }) => tx_hash],
  ['transaction_index', 'number', ({ transaction_index }) => transaction_index],
  ['position', 'number', ({ position }) => position],
  ['trader', 'text', ({ trader }) => trader],
  ['settled_for', 'text', ({ settled_for }) => settled_for],
  ...leg('sell_token'),
  ...leg('buy_token'),
  ['trade_volume_usd', 'text', ({ trade_volume_usd }) => trade_volume_usd],
  ['usd_source', 'text', ({ usd_source }) => usd_source],
  ['flags', 'text', ({ flags }) => flags.join(' ')],
  ['hops', 'text', ({ hops }) => JSON.stringify(hops)],
  ['final', 'boolean', ({ final }) => final],
]

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const
const TYPES = {
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', ...OPTIONAL },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', ...OPTIONAL },
  block: { type: 'INT64', ...OPTIONAL },
  number: { type: 'INT32', ...OPTIONAL },
  boolean: { type: 'BOOLEAN', ...OPTIONAL },
} as const

/** Rows that are packed together: so many are in memory at a time. */
const GROUP_ROWS = 20_000

function openParquet(path: string): RowFile {
  const schema = COLUMNS.map(([name, type]) => ({ name, ...TYPES[type] }))
  const file = fileWriter(path)
  const parquet = new ParquetWriter({
    writer: file,
    schema: [{ name: 'swaps', num_children: schema.length }, ...schema],
  })
  let waiting: ExportRow[] = []
  const pack = async (rows: readonly ExportRow[]) => {
    if (rows.length === 0) return
    const columnData = COLUMNS.map(([name, , value]) => ({ name, data: rows.map(value) }))
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
