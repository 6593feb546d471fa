import { assertMigrated, migrate, openDatabase } from '@dexfeed/store'
import { emptyDatabase } from '@dexfeed/test-setup'
import { afterEach, describe, expect, it } from 'vitest'

const quiet = { info() {}, warn() {} }
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(url: string, role?: string) {
  const database = await openDatabase(url, { applicationName: 'test', max: 2, ...(role ? { role } : {}) })
  closers.push(() => database.close())
  return database
}

describe('migrate', () => {
  it('brings an empty database up to date and records it as Prisma does', async () => {
    const url = await emptyDatabase()
    const first = await migrate(url, { log: quiet })
    expect(first.applied).toContain('20261121000000_init')
    const database = await open(url)
    const { rows } = await database.pool.query('SELECT migration_name, finished_at, checksum FROM _prisma_migrations')
    expect(rows.map((row) => row.migration_name)).toEqual(first.applied)
    expect(rows.every((row) => row.finished_at !== null && /^[0-9a-f]{64}$/.test(row.checksum))).toBe(true)
    await assertMigrated(database)
  })
})
