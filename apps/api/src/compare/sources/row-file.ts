import { type Figures, scaledDecimal } from '../explain-difference.ts'
import { decimalText, memberOf } from './read-json.ts'
import type { OtherSource, Subject } from './source.ts'

const COLUMNS = ['date', 'network', 'pool', 'token', 'price_usd', 'volume_usd'] as const
type Column = (typeof COLUMNS)[number]
const ADDRESS = /^0x([0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{104})$/i

interface FileRow extends Subject, Figures {
  day: string
  network: string
}

/**
 * Reads rows from CSV with a header line, or from a JSON list of objects, with the columns above. A row may lack
 * `pool` or `token` but not both, and either figure.
 *
 * @throws Error with the number of the first invalid row
 */
export function rowFile(text: string): OtherSource {
  const rows = (/^\s*\[/.test(text) ? jsonRows(text) : csvRows(text)).map(toRow)
  const of = ({ network, day }: { network: string; day: string }) =>
    rows.filter((row) => row.network === network && row.day === day)
  return {
    isOfLastDay: false,
    subjects: (question) => of(question).map(({ pool, token }) => ({ pool, token })),
    figures: async ({ pool, token }, question) =>
      of(question).find((row) => row.pool === pool && (row.token === token || row.token === null)),
  }
}

type Cells = Record<Column, unknown>

function jsonRows(text: string): Cells[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw new Error('the file is not JSON')
  }
  if (!Array.isArray(list)) throw new Error('the file is not a list of rows')
  return list.map((each) => Object.fromEntries(COLUMNS.map((name) => [name, memberOf(each, name)])) as Cells)
}

function csvRows(text: string): Cells[] {
  const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const names = cellsOf(header)
  const missing = COLUMNS.filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`the file lacks the columns ${missing.join(', ')}`)
  return lines.map((line) => {
    const cells = cellsOf(line)
    return Object.fromEntries(COLUMNS.map((name) => [name, cells[names.indexOf(name)]])) as Cells
  })
}

function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
}

function toRow(cells: Cells, at: number): FileRow {
  const wrong = (what: string) => new Error(`row ${at + 1} of the file: ${what}`)
  const day = String(cells.date ?? '')
  const network = String(cells.network ?? '')
  if (!/^20\d\d-\d\d-\d\d$/.test(day)) throw wrong('date is not like 2026-11-22')
  const addressOf = (name: 'pool' | 'token') => {
    const text = String(cells[name] ?? '')
    if (text === '') return null
    if (!ADDRESS.test(text)) throw wrong(`${name} is not an address`)
    return text.toLowerCase()
  }
  const figureOf = (name: 'price_usd' | 'volume_usd') => {
    const value = cells[name]
    if (value === undefined || value === null || value === '') return null
    if (scaledDecimal(value) === null) throw wrong(`${name} is not a decimal`)
    return decimalText(value)
  }
  const pool = addressOf('pool')
  const token = addressOf('token')
  if (pool === null && token === null) throw wrong('has neither a pool nor a token')
  return { day, network, pool, token, priceUsd: figureOf('price_usd'), volumeUsd: figureOf('volume_usd') }
}
