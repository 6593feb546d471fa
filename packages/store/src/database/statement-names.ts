const PLANNED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i

/**
 * Returns a function that names statements, which each connection then plans only once. Texts after the first
 * `maxNames` get no name ('').
 *
 * @param lifeMs after this time all names are assigned again, so that unused texts lose theirs
 */
export function statementNames(prefix: string, maxNames: number, lifeMs = Number.POSITIVE_INFINITY) {
  const names = new Map<string, string>()
  let count = 0
  let since = performance.now()
  return (sql: string): string => {
    if (performance.now() - since >= lifeMs) {
      names.clear()
      since = performance.now()
    }
    const named = names.get(sql)
    if (named !== undefined) return named
    if (names.size >= maxNames || !PLANNED.test(sql)) return ''
    const name = `${prefix}_${count++}`
    names.set(sql, name)
    return name
  }
}
