import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import type { Client } from 'pg'
import { beforeAll, expect, inject, it } from 'vitest'
import { openDatabase } from '../../database/database.ts'
import { Prisma } from '../../generated/client.ts'
import { findSwaps } from '../../reading/find-swaps.ts'
import { blockOfTime } from './blocks-of-times.ts'

/** 2026-11-20; the rows reach into the day after. */
const DAY = 20_777
const START = DAY * 86_400
const [A, B] = [hexNumber(0xa), hexNumber(0xb)]

let url: string
let owner: Client
let rows: SeedSwap[]

beforeAll(async () => {
  url = await testDatabase()
  owner = await connectTo(url)
  const end = START + 86_400
  await seedNetwork(owner, {
    network: 'bsc',
    wrapped: A,
    start: { number: 1, time: START },
    head: { number: 80_000, time: end - 1 },
    covered: [[1, 80_000, START, end - 1]],
  })
  // A block every second, with a time that is up to ten minutes too early.
  rows = Array.from({ length: 80_000 }, (_, n) => {
    const time = Math.max(START, START + n - ((n * 7_919) % 601))
    return { network: 'bsc', block: n + 1, time, sell: A, buy: B }
  })
  await seedSwaps(owner, rows)
  await owner.query('VACUUM ANALYZE swap')
})

const second = fc.integer({ min: START + 1, max: START + 79_999 })

it('all swaps of some times lie between the found blocks, and few others', async () => {
  const property = fc.asyncProperty(second, second, async (since, until) => {
    const query = Prisma.sql`SELECT ${blockOfTime('bsc', since, 'since')}, ${blockOfTime('bsc', until, 'until')}`
    const { rows: found } = await owner.query<string[]>({ text: query.text, values: query.values, rowMode: 'array' })
    const [from = 0, to = 0] = found[0]?.map(Number) ?? []
    const expected = rows.filter(({ time }) => time >= since && time < until)
    expect(expected.filter(({ block }) => block < from || block > to)).toEqual([])
    expect(rows.filter(({ block, time }) => block > from && time < since - 1_200)).toEqual([])
    expect(rows.filter(({ block, time }) => block < to && time > until + 1_200)).toEqual([])
  })
  await fc.assert(property, { numRuns: 30 * inject('scale') })
})

const searches = [
  ['the newest up to a time', { until: START + 2_000 }, false],
  ['the oldest from a time on', { since: START + 70_000 }, true],
  ['all between two times', { since: START + 40_000, until: START + 40_010 }, false],
] as const

it.each(searches)('%s are found without walking over the day', async (_name, filter, ascending) => {
  const blocksRead = async () => {
    const sum = 'SELECT sum(idx_blks_read + idx_blks_hit)::int AS blocks FROM pg_statio_user_indexes'
    const { rows } = await owner.query<{ blocks: number }>(`${sum} WHERE indexrelname LIKE 'swap%_pkey'`)
    return rows[0]?.blocks ?? 0
  }
  await owner.query('SELECT pg_stat_force_next_flush()')
  await expect.poll(async () => (await openSessions()).length).toBe(0)
  const before = await blocksRead()
  const database = await openDatabase(url, { applicationName: 'searching', max: 1 })
  const close = closeAfter(() => database.close())
  const { rows: found } = await findSwaps(database, { filter, network: 'bsc', ascending, from: null, limit: 50 })
  await close()
  expect(found.length).toBeGreaterThan(0)
  // A session reports its read statistics when it ends.
  await expect.poll(async () => (await openSessions()).length).toBe(0)
  expect((await blocksRead()) - before).toBeLessThan(200)
})

async function openSessions(): Promise<unknown[]> {
  return (await owner.query(`SELECT FROM pg_stat_activity WHERE application_name = 'searching'`)).rows
}
