import { dayOf } from '@dexfeed/dex'
import {
  type CandleSelection,
  claimNetworks,
  type Database,
  type IndexerStore,
  openIndexerStore,
  openReader,
} from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  address,
  deployment,
  filling,
  MIDNIGHT,
  openTestDatabase,
  POOL,
  session,
  startWriter,
  trade,
} from './rows/sample.ts'

const DAY = 86_400
const MOVES = [{ token: address(7), isWhole: true }]
const AWAITED = { usdE8: 5n, source: 'stablecoin', flags: 0 } as const
const UNVALUED = { usdE8: null, source: null, awaited: AWAITED }
let database: Database
let store: IndexerStore

beforeEach(async () => {
  database = await openTestDatabase(4)
  store = openIndexerStore(database, 'eth')
  await (await startWriter(store, 'eth')).release()
  const trades = [1, 2, 3, 4].map((n) =>
    trade(n, MIDNIGHT + (n - 4) * DAY, { trader: address(0xb0 + n), moves: MOVES, ...UNVALUED }),
  )
  await store.commitHistory(filling(1, 4, trades, { fromTime: MIDNIGHT - 3 * DAY, toTime: MIDNIGHT }))
})

const cutoff = dayOf(MIDNIGHT) - 1
const TABLES = ['swap', 'swap_hop', 'pool_candle', 'token_volume', 'token_flow', 'day_trader']
const ofDays = (tables: readonly string[], ...days: number[]) =>
  tables.flatMap((table) => days.map((day) => `${table}_${day}`))

async function partitions(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname ~ '^(${TABLES.join('|')})_\\d{8}$' ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

describe('days before the first that is kept', () => {
  it('lose their rows and keep their totals, their address counts and their coverage', async () => {
    const before = await tableContents(database.pool)
    expect(await store.dropDaysBefore(cutoff)).toEqual(ofDays(TABLES, 20261117, 20261118))
    expect(await partitions()).toEqual(ofDays(TABLES.toSorted(), 20261119, 20261120))
    const kept = ['day_total', 'day_address_count', 'covered_range', 'hour_volume'] as const
    const after = await tableContents(database.pool)
    for (const table of kept) expect(after[table]).toEqual(before[table])
    for (const table of ['swap', 'token_move', 'liquidity_event', 'pool_candle']) {
      expect(after[table]).toEqual(before[table]?.filter((row) => !/2026-11-1[78]/.test(row)))
    }
    const awaited = await database.pool.query('SELECT block_number::int AS block FROM awaited_value ORDER BY 1')
    expect(awaited.rows).toEqual([{ block: 3 }, { block: 4 }])
    expect(await store.keptSince()).toBe(cutoff * DAY)
    expect(await store.dropDaysBefore(cutoff)).toEqual([])
    // The first kept day never moves back.
    await store.dropDaysBefore(cutoff - 1)
    expect(await store.keptSince()).toBe(cutoff * DAY)
  })

  it('accept no more rows: what is filled in later is covered, but not counted', async () => {
    await store.dropDaysBefore(cutoff)
    const before = await tableContents(database.pool)
    const late = [trade(5, MIDNIGHT - 3 * DAY, { moves: MOVES }), trade(6, MIDNIGHT)]
    await store.commitHistory(filling(5, 6, late, { fromTime: MIDNIGHT - 3 * DAY, toTime: MIDNIGHT }))
    const after = await tableContents(database.pool)
    expect(after.swap).toHaveLength((before.swap?.length ?? 0) + 1)
    expect(after.token_move).toEqual(before.token_move)
    expect(after.liquidity_event).toHaveLength((before.liquidity_event?.length ?? 0) + 1)
    expect(after.day_total?.slice(0, 2)).toEqual(before.day_total?.slice(0, 2))
    expect(await store.coveredRanges()).toMatchObject([{ from: 1, to: 6 }])
    expect(await partitions()).toHaveLength(12)
  })

  it('are no longer recounted, since their counters are all that is left', async () => {
    await store.dropDaysBefore(cutoff)
    const before = await tableContents(database.pool)
    expect(await store.compareDay(cutoff - 1)).toEqual([])
    await store.recountDay(cutoff - 1)
    expect(await tableContents(database.pool)).toEqual(before)
  })

  it('are dropped while a reader is in the middle of them, without blocking other sessions', async () => {
    const reader = await session(database, 'test reader')
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM swap')
    const dropping = store.dropDaysBefore(cutoff)
    // Dropping waits for the reader, while other sessions can read and write.
    const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'dexfeed retention' AND wait_event_type = 'Lock'`
    while ((await database.pool.query(waiting)).rowCount === 0);
    expect((await database.pool.query('SELECT FROM swap')).rowCount).toBeGreaterThan(0)
    await store.commitHistory(filling(5, 5, [trade(5, MIDNIGHT)], { fromTime: MIDNIGHT, toTime: MIDNIGHT }))
    await reader.query('COMMIT')
    expect(await dropping).toHaveLength(12)
  })

  it('are reported once if the lake lacks them, even if they cannot be dropped yet', async () => {
    const lost: number[][] = []
    const lake = { firstToKeep: () => cutoff, onLost: (...days: number[]) => void lost.push(days) }
    const reader = await session(database, 'test reader')
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM swap')
    expect(await store.dropDaysBefore(cutoff, lake)).toEqual([])
    expect(lost).toEqual([[cutoff - 1, cutoff]])
    await reader.query('COMMIT')
    expect(await store.dropDaysBefore(cutoff, lake)).toHaveLength(12)
    expect(lost).toHaveLength(1)
  }, 30_000)

  it('are fewer if the lake lacks one by now', async () => {
    const lost: number[][] = []
    const firstToKeep = (unwritten: number | null) => unwritten ?? cutoff
    await store.dropDaysBefore(cutoff, { firstToKeep, onLost: (...days) => void lost.push(days) })
    expect([await store.keptSince(), lost]).toEqual([(cutoff - 1) * DAY, []])
  })

  describe('when an interruption left one half detached', () => {
    beforeEach(async () => {
      await database.pool.query(`INSERT INTO kept_days (since) VALUES ('2026-11-19')`)
      const reader = await database.connect('test reader')
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM swap')
      const detaching = await database.connect('test detaching', '-c lock_timeout=100')
      const detached = detaching.query('ALTER TABLE swap DETACH PARTITION swap_20261117 CONCURRENTLY')
      await expect(detached).rejects.toMatchObject({ code: '55P03' })
      for (const client of [reader, detaching]) await client.end()
    })

    it('are dropped the next time', async () => {
      expect(await store.dropDaysBefore(cutoff)).toHaveLength(12)
      expect(await partitions()).toHaveLength(12)
    })

    it('have no candles, since parts that trades hold are gone', async () => {
      const span = { from: MIDNIGHT - 4 * DAY, to: MIDNIGHT + DAY }
      const read = async (within: CandleSelection['within']) => {
        const selection = { network: 'eth', token: address(1), within, interval: DAY, ...span } as const
        return (await openReader(database).candles(selection)).map(({ time }) => time)
      }
      for (const within of [null, { pool: POOL.address }, { other: address(2) }]) {
        expect(await read(within)).toEqual([MIDNIGHT - DAY, MIDNIGHT])
      }
    })

    it('keep the volumes of their hours, whichever of their blocks is repaired', async () => {
      await database.pool.query('UPDATE network SET final_number = 4')
      const before = await tableContents(database.pool, ['hour_volume', 'day_total'])
      const repaired = [trade(1, MIDNIGHT - 3 * DAY)]
      await store.replaceRange({ from: 1, to: 1, trades: repaired, pools: [], tokens: [], times: new Map() })
      expect(await tableContents(database.pool, ['hour_volume', 'day_total'])).toEqual(before)
    })

    it('accept no more rows, and delay no commit', async () => {
      const before = await tableContents(database.pool, ['swap', 'day_total'])
      const late = trade(5, MIDNIGHT - 3 * DAY)
      await store.commitHistory(filling(5, 6, [late], { fromTime: MIDNIGHT - 3 * DAY, toTime: MIDNIGHT }))
      expect(await store.coveredRanges()).toMatchObject([{ from: 1, to: 6 }])
      expect(await tableContents(database.pool, ['swap', 'day_total'])).toEqual(before)
    })
  })

  it('stay while another network needs them, by its own start', async () => {
    const other = openIndexerStore(database, 'bsc')
    await (await startWriter(other, 'bsc')).release()
    await other.lowerStart({ number: 0, timestamp: MIDNIGHT - 2 * DAY })
    await other.commitHistory(
      filling(1, 1, [trade(1, MIDNIGHT - 2 * DAY)], { fromTime: MIDNIGHT - 2 * DAY, toTime: MIDNIGHT }),
    )
    expect(await store.dropDaysBefore(cutoff)).toEqual(ofDays(TABLES, 20261117))
    expect(await store.keptSince()).toBe((cutoff - 1) * DAY)
    await other.raiseStart({ number: 5, timestamp: cutoff * DAY })
    expect(await store.dropDaysBefore(cutoff)).toEqual(ofDays(TABLES, 20261118))
    // A network that is no longer indexed requires no days.
    await other.lowerStart({ number: 0, timestamp: MIDNIGHT - 9 * DAY })
    const claim = await claimNetworks(database, [deployment('eth')])
    closeAfter(() => claim.release())
    expect(await store.dropDaysBefore(cutoff + 1)).toHaveLength(6)
  })
})
