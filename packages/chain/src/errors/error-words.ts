const MAX_DEPTH = 3
const MAX_LENGTH = 2000

/** Returns the `data` of a JSON-RPC error as text: each field as `name: value`, numbers in decimal. */
export function wordsOf(data: unknown): string {
  return partsOf(data, MAX_DEPTH).join('; ').slice(0, MAX_LENGTH)
}

function partsOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [/^0x[0-9a-f]{1,8}$/i.test(value) ? String(Number(value)) : value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const parts = partsOf(field, depth - 1)
    return Array.isArray(value) ? parts : parts.map((part) => `${name.replaceAll('_', ' ')}: ${part}`)
  })
}
