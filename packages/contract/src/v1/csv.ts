import { z } from 'zod'

// RFC 4180. An object becomes a column per field (`sell_token.symbol`). A list becomes a single column: its items
// separated by spaces, or JSON if they are objects.

interface Column {
  name: string
  path: readonly string[]
  kind: 'time' | 'integer' | 'boolean' | 'json' | 'other'
}

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
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject) return 'json'
  return schema instanceof z.ZodBoolean ? 'boolean' : 'other'
}

export function csvWriter(row: z.ZodObject): (rows: readonly unknown[]) => string {
  const columns = columnsOf(row)
  const heading = columns.map(({ name }) => name).join()
  return (rows) => {
    const lines = rows.map((each) => columns.map((column) => cellOf(textAt(each, column))).join())
    return `${[heading, ...lines].join('\r\n')}\r\n`
  }
}

export function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => (value as Record<string, unknown> | null)?.[field], row)
}

function textAt(row: unknown, { path, kind }: Column): unknown {
  const value = valueAt(row, path) ?? null
  if (value === null) return null
  if (kind === 'json') return JSON.stringify(value)
  return Array.isArray(value) ? value.join(' ') : value
}

function cellOf(value: unknown): string {
  if (value === null) return ''
  const text = String(value)
  // A spreadsheet would run such text as a formula, and anyone can choose a token's name. Numbers are not changed.
  const isFormula = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' && !/^-?\d+(\.\d+)?$/.test(text)
  const harmless = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
