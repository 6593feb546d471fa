import { dayOf } from '@dexfeed/dex'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { address, header, MIDNIGHT, trade } from '../../test/rows/sample.ts'
import { database, fill, follow, store, useStore } from '../../test/rows/scene.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import type { Coverage } from '../reading/coverage.ts'
import { lacksBlocksOf, searchIndexBuilder } from './whole-days.ts'

useStore('polygon', 4)

const DAY = dayOf(MIDNIGHT)
const { signal } = new AbortController()
const namesOf = (suffix: string) => [`swap_${suffix}_trader_idx`, `swap_${suffix}_tx_idx`]

// Emptying the tables keeps their partitions and indexes.
beforeEach(async () => {
  const names = ['20261118', '20261119', '20261120'].flatMap(namesOf)
  await database.pool.query(`DROP INDEX IF EXISTS ${names.join()}`)
})

/** Follows block 100, at noon. History below it is missing, down to block 10, at noon two days earlier. */
async function followNoon(): Promise<void> {
  await store.raiseStart({ number: 10, timestamp: MIDNIGHT - 129_600 })
  await follow([header(100, MIDNIGHT + 43_200)], [trade(100, MIDNIGHT + 43_200)])
}

/** Fills the missing history. */
const fillAll = () => fillTimes(10, 99, MIDNIGHT - 129_600, MIDNIGHT + 43_100)

async function fillTimes(from: number, to: number, fromTime: number, toTime: number): Promise<void> {
  const trades = [trade(from, fromTime), trade(to, toTime, { trader: address(0xb1) })]
  await fill(from, to, trades, { fromTime, toTime })
}

describe('search indexes', () => {
  it('are built day by day, once no block of a day is missing', async () => {
    await followNoon()
    expect(await store.buildSearchIndexes(signal)).toEqual([])
    await fillTimes(50, 99, MIDNIGHT - 60, MIDNIGHT + 43_100)
    expect(await store.buildSearchIndexes(signal)).toEqual(namesOf('20261120'))
    expect(await store.buildSearchIndexes(signal)).toEqual([])
    await fillTimes(10, 49, MIDNIGHT - 129_600, MIDNIGHT - 120)
    expect(await store.buildSearchIndexes(signal)).toEqual([...namesOf('20261119'), ...namesOf('20261118')])
  })

  it('that were not built to the end are built again', async () => {
    await followNoon()
    await fillAll()
    // A unique index fails halfway and remains invalid, because both trades have the same sold token.
    const broken = 'CREATE UNIQUE INDEX CONCURRENTLY swap_20261120_trader_idx ON swap_20261120 (sell_token)'
    await expect(database.pool.query(broken)).rejects.toThrow()
    expect(await store.buildSearchIndexes(signal)).toContain('swap_20261120_trader_idx')
    const { rows } = await database.pool.query<{ text: string }>(
      `SELECT pg_get_indexdef('swap_20261120_trader_idx'::regclass) AS text`,
    )
    expect(rows[0]?.text).toContain('(trader)')
  })

  it('are built by one process at a time', async () => {
    await followNoon()
    await fillAll()
    const other = await database.connect('other')
    await other.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.searchIndexes])
    expect(await store.buildSearchIndexes(signal)).toEqual([])
    await other.end()
    expect(await store.buildSearchIndexes(signal)).not.toEqual([])
  })

  it('are built though blocks are missing, once a day has received no rows for some time', async () => {
    const build = searchIndexBuilder(database, 300)
    await followNoon()
    expect(await build(signal)).toEqual([])
    expect(await vi.waitUntil(async () => (await build(signal)).length > 0, 30_000)).toBe(true)
  })

  it('of the other days are built if one cannot be', async () => {
    await followNoon()
    await fillAll()
    // Another relation already has this name.
    await database.pool.query('CREATE TABLE swap_20261120_tx_idx (id int)')
    await expect(store.buildSearchIndexes(signal)).rejects.toThrow()
    await database.pool.query('DROP TABLE swap_20261120_tx_idx')
    expect(await store.buildSearchIndexes(signal)).toEqual(['swap_20261120_tx_idx'])
  })

  it('do not delay the end of the process', async () => {
    await followNoon()
    await fillAll()
    expect(await store.buildSearchIndexes(AbortSignal.abort())).toEqual([])
    // The build waits for this transaction.
    const writing = await database.connect('writing')
    await writing.query('BEGIN')
    await writing.query('DELETE FROM swap_20261120 WHERE false')
    const stop = new AbortController()
    const built = searchIndexBuilder(database)(stop.signal)
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONC%'`)
      expect(rows).not.toEqual([])
    }, 30_000)
    stop.abort()
    expect(await built).toEqual([])
    await writing.end()
    // The server ends the abandoned build or finishes it.
    await vi.waitFor(async () => {
      await store.buildSearchIndexes(signal)
      const { rows } = await database.pool.query(
        `SELECT FROM pg_index WHERE indisvalid AND indexrelid::regclass::text LIKE 'swap_202611___trader_idx'`,
      )
      expect(rows).toHaveLength(3)
    }, 30_000)
  })
})

describe('blocks of a day', () => {
  const point = (number: number, timestamp: number) => ({ number, hash: `0x${number}` as const, timestamp })
  const range = (from: number, to: number, fromTime: number, toTime: number) => ({ from, to, fromTime, toTime })
  const network = (covered: Coverage['covered']): Coverage => ({
    start: point(10, MIDNIGHT - 129_600),
    head: point(100, MIDNIGHT + 43_200),
    covered,
  })
  const lacking = (covered: Coverage['covered']) =>
    [DAY - 3, DAY - 2, DAY - 1, DAY, DAY + 1]
      .filter((day) => lacksBlocksOf(network(covered), day))
      .map((day) => day - DAY)

  it('may be missing in a gap, whose times lie between its neighbours', () => {
    expect(lacking([range(10, 100, MIDNIGHT - 129_600, MIDNIGHT + 43_200)])).toEqual([])
    expect(lacking([range(100, 100, MIDNIGHT + 43_200, MIDNIGHT + 43_200)])).toEqual([-2, -1, 0])
    const head = range(60, 100, MIDNIGHT + 1, MIDNIGHT + 43_200)
    expect(lacking([head])).toEqual([-2, -1, 0])
    expect(lacking([range(10, 50, MIDNIGHT - 129_600, MIDNIGHT), head])).toEqual([0])
    expect(lacking([range(10, 50, MIDNIGHT - 129_600, MIDNIGHT - 1), head])).toEqual([-1, 0])
    expect(lacking([])).toEqual([-2, -1, 0])
  })

  it('are not missing in a network that has not begun, or is down', () => {
    expect(lacksBlocksOf({ start: null, head: null, covered: [] }, DAY)).toBe(false)
    expect(lacksBlocksOf({ ...network([]), head: null }, DAY)).toBe(false)
  })
})
