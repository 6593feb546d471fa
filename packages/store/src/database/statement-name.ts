/** Further statements are planned each time; this code has a few hundred. */
const MAX_NAMES = 500

/** Statements that are planned; a COMMIT is not. */
const PLANNED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i

const names = new Map<string, string>()

/** Returns the name of a statement's text, by which each connection parses and plans it once; '' for none. */
export function statementName(sql: string): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  if (names.size >= MAX_NAMES || !PLANNED.test(sql)) return ''
  const name = `dexfeed_${names.size}`
  names.set(sql, name)
  return name
}
