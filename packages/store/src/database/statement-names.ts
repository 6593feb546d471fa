/** Statements that are planned; a COMMIT is not. */
const PLANNED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i

/**
 * Returns a function that names statement texts, so that each connection parses and plans each text once. Texts after
 * the first `most` get no name (''): they are planned each time.
 */
export function statementNames(prefix: string, most: number): (sql: string) => string {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= most || !PLANNED.test(sql)) return ''
    const name = `${prefix}_${names.size}`
    names.set(sql, name)
    return name
  }
}
