const PLANNED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i

/**
 * Returns a function that names statements, which each connection then plans only once. Texts after the first
 * `maxNames` get no name ('').
 */
export function statementNames(prefix: string, maxNames: number): (sql: string) => string {
  const names = new Map<string, string>()
  return (sql) => {
    const named = names.get(sql)
    if (named !== undefined) return named
    if (names.size >= maxNames || !PLANNED.test(sql)) return ''
    const name = `${prefix}_${names.size}`
    names.set(sql, name)
    return name
  }
}
