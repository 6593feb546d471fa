import type * as z from 'zod'

export function problemLines(error: z.ZodError, root: string, input: unknown): string[] {
  return error.issues.map((issue) => {
    const place = issue.path.reduce<string>((path, key) => {
      return typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`
    }, root)
    const value = issue.path.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), input)
    if (value === undefined) return `${place}: is missing`
    const message = issue.message.replace(/^Invalid input: expected (.*), received .*$/, 'must be of type $1')
    return `${place}: ${oneLine(message)}, not ${quote(value)}`
  })
}

export function unknownKeys(value: unknown, place: string, shape: z.ZodRawShape): string[] {
  if (!isRecord(value)) return []
  const knownKeys = Object.keys(shape)
  return Object.keys(value)
    .filter((key) => !knownKeys.includes(key))
    .map((key) => `${place}.${oneLine(key)}: unknown key, ignored; there are ${knownKeys.join(', ')}`)
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value)
}

export function quote(value: unknown): string {
  const text = oneLine(JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
