/** The migrated database that every test database is a copy of. */
export const TEMPLATE = 'dexfeed_template'

export function withDatabase(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}
