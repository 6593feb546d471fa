import { dayOf } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import { address, following, header, headers, MIDNIGHT, trade } from '../../test/rows/sample.ts'
import { database, fill, follow, lease, rows, store, useStore } from '../../test/rows/scene.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import { NO_COUNTS } from '../tables/day-counts.ts'
import { moveCounters } from './day-counters.ts'

const [ONE, TWO] = [address(0xb1), address(0xb2)]

useStore('bsc', 4)

const traders = () => rows(`SELECT '0x' || encode(trader, 'hex') AS trader, networks FROM day_trader ORDER BY trader`)
const addresses = () => rows('SELECT networks, addresses::int FROM day_address_count ORDER BY networks')

it('a trader that is known on a day is neither written nor waited for', async () => {
  await fill(1, 1, [trade(1, MIDNIGHT + 1, { trader: ONE })])
  const version = () => rows('SELECT xmin, ctid FROM day_trader')
  const before = await version()
  const other = await database.pool.connect()
  try {
    await other.query('BEGIN; SELECT FROM day_trader FOR UPDATE')
    await fill(2, 2, [trade(2, MIDNIGHT + 2, { trader: ONE })])
    await other.query('COMMIT')
  } finally {
    other.release()
  }
  expect(await version()).toEqual(before)
  expect(await addresses()).toEqual([{ networks: 2, addresses: 1 }])
})

it('a trader leaves a day with the last of its trades there', async () => {
  const at = (number: number, trader: typeof ONE) => trade(number, MIDNIGHT + number, { trader })
  const next = (number: number, branch: number, parent: number) => header(number, MIDNIGHT + number, branch, parent)
  await follow([next(10, 0, 0)], [at(10, ONE)])
  await follow([next(11, 0, 0)], [at(11, ONE), { ...at(11, TWO), position: 1 }])
  expect(await addresses()).toEqual([{ networks: 2, addresses: 2 }])
  const empty = (number: number, branch: number) =>
    following(lease.epoch, [next(number, branch, 0)], [], { rollbackTo: number - 1 })
  await store.commitHead(empty(11, 1))
  expect(await traders()).toEqual([{ trader: ONE, networks: 2 }])
  expect(await addresses()).toEqual([{ networks: 2, addresses: 1 }])
  await store.commitHead(empty(10, 2))
  expect(await traders()).toEqual([])
  expect(await addresses()).toEqual([])
})

it('a trader of the day before stays there', async () => {
  const at = (number: number, time: number) => trade(number, time, { trader: ONE })
  await fill(1, 1, [at(1, MIDNIGHT - 5)], { fromTime: MIDNIGHT - 5, toTime: MIDNIGHT - 5 })
  await follow(headers(10), [at(10, MIDNIGHT + 10)])
  await follow(headers(10, 10, 1), [], { rollbackTo: 9 })
  expect(await rows('SELECT day::text, networks FROM day_trader')).toEqual([{ day: '2026-11-19', networks: 2 }])
})

/** Returns a transaction that notes the text of each statement. */
function noting(tx: Db, noted: string[]): Db {
  const noteFor =
    <Result>(run: (query: TemplateStringsArray, ...values: unknown[]) => Result) =>
    (query: TemplateStringsArray, ...values: unknown[]) => {
      noted.push(Prisma.sql(query, ...values).sql)
      return run(query, ...values)
    }
  return Object.assign(Object.create(tx), {
    $queryRaw: noteFor(tx.$queryRaw.bind(tx)),
    $executeRaw: noteFor(tx.$executeRaw.bind(tx)),
  })
}

it('what may read a whole day ends before the day is locked, which the heads of all networks need', async () => {
  const day = dayOf(MIDNIGHT)
  await fill(1, 1, [trade(1, MIDNIGHT + 1, { trader: ONE })])
  await database.pool.query('DELETE FROM swap')
  const noted: string[] = []
  const gone = {
    ...NO_COUNTS,
    totals: [{ day, swaps: 1, unpriced: 0, flagged: 0, volumeE8: 0n }],
    traders: [{ day, trader: ONE }],
  }
  await inTransaction(database, (tx) =>
    moveCounters(noting(tx, noted), { name: 'bsc', chainId: 56 }, 'exclusive', { gone }),
  )
  const [reads, locks] = ['FROM swap ', 'advisory'].map((text) => noted.findIndex((each) => each.includes(text)))
  expect(reads).toBeGreaterThanOrEqual(0)
  expect(locks).toBeGreaterThan(reads ?? Number.POSITIVE_INFINITY)
  expect(await traders()).toEqual([])
})
