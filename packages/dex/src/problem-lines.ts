import type * as z from 'zod'

/** A line per issue that zod found in `input`: where (below `root`), what is wrong, what stands there. */
export function problemLines(error: z.ZodError, root: string, input: unknown): string[] {
  return error.issues.flatMap((issue) => {
    const place = issue.path.reduce<string>((path, key) => {
      return typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`
    }, root)
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${place}.${oneLine(key)}: ${issue.message}`)
    const value = issue.path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), input)
    if (value === undefined) return [`${place}: is missing`]
    const message = issue.message.replace(/^Invalid input: expected (.*), received .*$/, 'must be of type $1')
    return [`${place}: ${oneLine(message)}, not ${quote(value)}`]
  })
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

/** A JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value)
}

/** A value as JSON, cut where it is long. */
export function quote(value: unknown): string {
  const text = oneLine(JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** Text without line breaks, control and direction marks: a problem is one line, and nothing in it moves a cursor. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
