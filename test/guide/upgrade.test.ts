import { setTimeout as delay } from 'node:timers/promises'
import { createLogger } from '@dexfeed/service'
import { DatabaseTooNew, migrate, readMigrations } from '@dexfeed/store'
import { connectTo } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { openGuideWorld, USDT } from './guide-world.ts'

const log = createLogger({ name: 'test', level: 'warn' })
const READ_MS = 7_000
const PAUSE_MS = 50
const PATHS = [
  '/api/quote?sellToken=WBNB&buyToken=USDT&network=bsc',
  '/api/swaps_24h?network=bsc&limit=2',
  '/api/trade_volume_usd_7d',
  '/v1/swaps?network=bsc&limit=3',
  '/v1/pools?network=bsc',
  `/v1/tokens/bsc/${USDT}`,
  `/v1/candles?network=bsc&token=${USDT}&interval=1h`,
  '/status',
  '/readyz',
]
/** `/readyz` waits 1.5 s for the database, which may take longer on a busy machine. */
const LATE = 'not ready: the database does not respond'
const NEXT = [
  {
    name: '29990101000000_columns',
    sql: `ALTER TABLE swap ADD COLUMN later INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE pool ADD COLUMN later TEXT;
      CREATE INDEX swap_later ON swap (chain_id, later);`,
  },
  {
    name: '29990102000000_table',
    sql: 'CREATE TABLE later (id INTEGER PRIMARY KEY); ALTER TABLE network ADD later INTEGER;',
  },
]

// long read of swap  |----------------------|
// migrations              wait, give way, wait ...  |--|
// reads of the API   ........................................   each is served
test('an API that runs serves every read while the next release migrates its database beside a long read', async () => {
  const api = await openGuideWorld()
  const reading = await connectTo(api.ownerUrl)
  // Like a migration, this lock makes reads of the table wait. `/readyz`, which reads again after a commit, must not.
  await reading.query('BEGIN; LOCK TABLE swap')
  await api.committed()
  await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  await reading.query('COMMIT')
  const refused: string[] = []
  const served: string[] = []
  let isOver = false
  const readers = PATHS.map(async (path) => {
    for (let at = 0; !isOver; at++) {
      // Identical requests would be served from the cache.
      const { status, body } = await api.get(path.startsWith('/v1/swaps') ? `${path}&min_usd=${at}` : path)
      if (status === 200) served.push(path)
      else if (path !== '/readyz' || body.error !== LATE) refused.push(`${path}: ${status} ${body.error}`)
      await delay(PAUSE_MS)
    }
  })
  await reading.query('BEGIN; SELECT count(*) FROM swap')
  const end = setTimeout(() => void reading.query('COMMIT'), READ_MS)
  const migrations = [...readMigrations(), ...NEXT]
  const { applied } = await migrate(api.ownerUrl, { log, migrations }).finally(async () => {
    clearTimeout(end)
    isOver = true
    await Promise.all(readers)
  })
  expect(applied).toEqual(NEXT.map(({ name }) => name))
  expect(refused).toEqual([])
  expect(served.length).toBeGreaterThan(50)
  expect(new Set(served)).toEqual(new Set(PATHS))

  for (const path of PATHS) expect([path, (await api.get(`${path}`)).status]).toEqual([path, 200])
  await expect(migrate(api.ownerUrl, { log })).rejects.toBeInstanceOf(DatabaseTooNew)
})
