const PLANNED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i

/**
 * Names statement texts, so that each connection parses and plans a text once. Texts after the first `max` get no name
 * ('').
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
