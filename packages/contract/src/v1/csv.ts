import { z } from 'zod'

// RFC 4180. An object becomes one column per field (`sell_token.symbol`), a list one column with spaces between items.

/** A column, and the path of its value. */
interface Column {
  name: string
  path: readonly string[]
  kind: 'time' | 'integer' | 'boolean' | 'other'
}

/** Returns the columns that rows of this shape have, in its order. */
export function columnsOf(row: z.ZodObject, path: readonly string[] = []): Column[] {
  return Object.entries(row.shape).flatMap(([field, schema]): Column[] => {
    const at = [...path, field]
    const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema
    return inner instanceof z.ZodObject ? columnsOf(inner, at) : [{ name: at.join('.'), path: at, kind: kindOf(inner) }]
  })
}

function kindOf(schema: unknown): Column['kind'] {
  if (schema instanceof z.ZodISODateTime) return 'time'
  if (schema instanceof z.ZodNumber) return 'integer'
  return schema instanceof z.ZodBoolean ? 'boolean' : 'other'
}

/** Returns a writer of rows of this shape. It returns the whole text, the names of the columns first. */
export function csvWriter(row: z.ZodObject): (rows: readonly unknown[]) => string {
  const columns = columnsOf(row)
  const heading = columns.map(({ name }) => name).join()
  return (rows) => {
    const lines = rows.map((one) => columns.map(({ path }) => cellOf(valueAt(one, path))).join())
    return `${[heading, ...lines].join('\r\n')}\r\n`
  }
}

/** Returns the value at a column's path in a row. */
export function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => (value as Record<string, unknown> | null)?.[field], row)
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return cellOf(value.map((item) => (isText(item) ? item : JSON.stringify(item))).join(' '))
  const text = String(value)
  // A spreadsheet reads a text that begins like this as a formula, and anyone can choose a token's name. A number stays
  // as it is.
  const isFormula = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' && !/^-?\d+(\.\d+)?$/.test(text)
  const harmless = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value !== 'object'
}
