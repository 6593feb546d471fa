import { Prisma } from '../generated/client.ts'

// Rows of a day as COPY sends them to the program that writes the lake. COPY takes no parameters, so network and day are
// settings of the transaction.

export const COPIED_CHAIN = Prisma.sql`current_setting('dexfeed.chain_id')::int`
export const COPIED_DAY = Prisma.sql`current_setting('dexfeed.day')`

/**
 * `hex`: bytes. `text`: text of contracts, in hex, because it may have any character. `time`: microseconds since 1970.
 * `amount`: two columns, see `amountTexts`. Lists are separated by commas.
 */
export type CopiedKind =
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'usd'
  | 'hex'
  | 'text'
  | 'time'
  | 'amount'
  | 'hexes'
  | 'amounts'

export interface CopiedRows {
  columns: Readonly<Record<string, CopiedKind>>
  /** A SELECT without parameters. */
  rows: Prisma.Sql
}

export function copying({ columns, rows }: CopiedRows): string {
  const list = Object.entries(columns).flatMap(([column, kind]) => textsOf(column, kind))
  const { text, values } = Prisma.sql`COPY (SELECT ${Prisma.raw(list.join())} FROM (${rows}) AS copied) TO STDOUT`
  if (values.length > 0) throw new Error('COPY takes no parameters')
  return text
}

function textsOf(column: string, kind: CopiedKind): string[] {
  if (kind === 'hex') return [`encode(${column}, 'hex')`]
  if (kind === 'text') return [`encode(convert_to(${column}, 'UTF8'), 'hex')`]
  if (kind === 'time') return [`(extract(epoch FROM ${column}) * 1000000)::bigint`]
  if (kind === 'amount') return amountTexts(column)
  if (kind === 'hexes') return [listOf(column, `encode(item, 'hex')`)]
  if (kind === 'amounts') return [`array_to_string(${column}, ',')`, listOf(column, wordOf('item'))]
  return [column]
}

function listOf(column: string, text: string): string {
  return `array_to_string(ARRAY(SELECT ${text} FROM unnest(${column}) WITH ORDINALITY AS list (item, n) ORDER BY n), ',')`
}

const LIMBS = 8
const LIMB_BITS = 32
const isWide = (amount: string) => `${amount} >= ${2n ** 128n}`

/** The digits, and the word of 32 bytes in hex if it has more than 128 bits, which few have and DuckDB cannot convert. */
function amountTexts(amount: string): string[] {
  return [amount, `CASE WHEN ${isWide(amount)} THEN ${wordOf(amount)} END`]
}

function wordOf(amount: string): string {
  const limbs = Array.from({ length: LIMBS }, (_, n) => 2n ** BigInt(LIMB_BITS * (LIMBS - 1 - n)))
  return limbs
    .map((unit) => `lpad(to_hex(mod(div(${amount}, ${unit}), ${2n ** BigInt(LIMB_BITS)})::bigint), 8, '0')`)
    .join(' || ')
}
