import { type BlockRange, dayOf, missingRanges, NETWORKS, sharedRanges } from '@dexfeed/dex'
import { type Database, openIndexerStore, openLakeStore, RangeAlreadyCovered, RangeNotSettled } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import fc from 'fast-check'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/database/locks.ts'
import { emptyTables } from './rows/empty-tables.ts'
import {
  address,
  creation,
  filling,
  following,
  headers,
  MIDNIGHT,
  movesOf,
  POOL,
  session,
  trade,
} from './rows/sample.ts'
import {
  afterWork,
  database,
  FOLLOWED,
  type Followed,
  rows,
  startFollowed,
  useDatabase,
  waiting,
} from './rows/scene.ts'

const DAY_S = 86_400
const DAY = dayOf(MIDNIGHT)
/** Day n begins with block 10 n. */
const BLOCKS = 10
const dayOfBlock = (block: number) => Math.floor(block / BLOCKS)
const timeOf = (block: number) => MIDNIGHT + DAY_S * dayOfBlock(block) + (DAY_S / BLOCKS) * (block % BLOCKS)
const pointOf = (number: number) => ({ number, timestamp: timeOf(number) })
const times = (from: number, to: number) => ({ fromTime: timeOf(from), toTime: timeOf(to) })
/** History ends here; the head's blocks follow. */
const LAST = 59
const PART = 4
/** What commits and counters hold, apart from the lake. */
const TABLES = [
  ...['swap', 'swap_hop', 'pool_candle', 'token_volume', 'token_flow', 'token_move', 'liquidity_event'],
  ...['day_total', 'day_trader', 'day_address_count', 'hour_volume', 'covered_range'],
]

useDatabase(8)

type Chain = Record<Followed, Map<number, number>>
let chain: Chain
let followed: Awaited<ReturnType<typeof startFollowed>>

/** A trade of each traded block, with the value that its version gives. */
function tradesIn(name: Followed, { from, to }: BlockRange) {
  return [...chain[name]].flatMap(([block, version]) => {
    const usdE8 = BigInt(100_000_000 * (1 + version))
    const over = { usdE8, hopsUsdE8: [usdE8], trader: address(0xb0 + (block % 3)) }
    const moves = [{ token: address(7), isWhole: true }]
    return from <= block && block <= to ? [trade(block, timeOf(block), { ...over, moves })] : []
  })
}

async function begin(traded: Chain): Promise<void> {
  await emptyTables(database.pool)
  chain = traded
  followed = await startFollowed(database)
  for (const name of FOLLOWED) {
    const { epoch } = followed.leases[name]
    await followed.stores[name].lowerStart(pointOf(0))
    const blocks = headers(LAST + 1, LAST + 3, 0, timeOf)
    await followed.stores[name].commitHead(following(epoch, blocks, [], { finalNumber: LAST + 1 }))
  }
}

const end = () => Promise.all(FOLLOWED.map((name) => followed.leases[name].release()))

async function fill(name: Followed, span: BlockRange, from: Database = database): Promise<void> {
  const store = openIndexerStore(from, name)
  const start = (await store.networkRow())?.start?.number ?? 0
  for (const { from, to } of missingRanges(
    { from: Math.max(span.from, start), to: span.to },
    await store.coveredRanges(),
  )) {
    await store.commitHistory(filling(from, to, tradesIn(name, { from, to }), times(from, to)))
  }
}

async function retain(day: number): Promise<void> {
  for (const name of FOLLOWED) await followed.stores[name].raiseStart(pointOf(BLOCKS * day))
  await followed.stores.bsc.dropDaysBefore(DAY + day)
}

/** From the day of `block` on, which is the first of the history if it is not the first of its day. */
function restore(block: number, names: readonly Followed[] = FOLLOWED) {
  const before = block > 0 && block % BLOCKS === 0 ? pointOf(block - 1) : null
  const networks = new Map(names.map((name) => [name, { start: pointOf(block), before }]))
  return followed.stores.bsc.restoreDays({ first: DAY + dayOfBlock(block), networks })
}

const since = async () => {
  const time = await followed.stores.bsc.keptSince()
  return time === null ? 0 : dayOf(time) - DAY
}

/** Each covered block of a kept day has its rows, all others have none. */
async function checkRows(): Promise<void> {
  const first = BLOCKS * (await since())
  for (const name of FOLLOWED) {
    const covered = sharedRanges(await followed.stores[name].coveredRanges(), { from: first, to: LAST + 3 })
    const expected = covered.flatMap((range) =>
      tradesIn(name, range).map(({ blockNumber, usdE8 }) => [blockNumber, Number(usdE8)]),
    )
    const stored = async (table: string, value: string) =>
      (
        await rows(
          `SELECT block_number::int AS block, (${value} * 1e8)::int AS value FROM ${table}
           WHERE chain_id = $1 AND block_time >= to_timestamp($2) ORDER BY 1`,
          [NETWORKS[name].chainId, timeOf(first)],
        )
      ).map(({ block, value }) => [block, value])
    expect(await stored('swap', 'volume_usd')).toEqual(expected.sort(([a = 0], [b = 0]) => a - b))
    expect((await stored('liquidity_event', '1')).map(([block]) => block)).toEqual(expected.map(([block]) => block))
  }
}

async function checkCounters(): Promise<void> {
  for (let day = await since(); day <= dayOfBlock(LAST); day++) {
    expect(await followed.stores.bsc.compareDay(DAY + day)).toEqual([])
  }
}

async function fillAll(): Promise<void> {
  for (const name of FOLLOWED) await fill(name, { from: 0, to: LAST })
}

const part = fc.nat(Math.floor(LAST / PART))
const network = fc.constantFrom(...FOLLOWED)
type Step =
  | { fill: Followed; part: number }
  | { retain: number }
  | { restore: number }
  | { change: Followed; block: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ fill: network, part }) },
  { weight: 2, arbitrary: fc.record({ retain: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      restore: fc.oneof(
        fc.nat(4).map((day) => BLOCKS * day),
        fc.nat(LAST - BLOCKS),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ change: network, block: fc.nat(LAST) }) },
)
type Action = { all: boolean } | { write: Followed; which: number } | { recount: number } | { at: Step[] }
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ all: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ write: network, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ recount: fc.nat(5) }) },
  { weight: 8, arbitrary: fc.record({ at: fc.array(step, { minLength: 1, maxLength: 3 }) }) },
)
const traded = fc.uniqueArray(fc.nat(LAST), { maxLength: 12 })

// Days are dropped and restored in any order, also while others commit. Blocks are a fixed chain, whose rows change by
// repairs.
it('rows, counters and the lake are those of the covered blocks, whatever is dropped and restored', async () => {
  const world = fc.record({ bsc: traded, polygon: traded, actions: fc.array(action, { minLength: 8, maxLength: 16 }) })
  await fc.assert(
    fc.asyncProperty(world, async ({ bsc, polygon, actions }) => {
      const byBlock = (blocks: number[]) => new Map(blocks.sort((a, b) => a - b).map((block) => [block, 0]))
      await begin({ bsc: byBlock(bsc), polygon: byBlock(polygon) })
      const lake = openLakeStore(database)
      const written = new Map<string, string[]>()
      const rowsOf = async (name: Followed, day: number): Promise<string[]> =>
        (
          await rows(
            `SELECT (to_jsonb(s) - '{hop_log_index,parts}'::text[])::text AS line FROM swap s
             WHERE chain_id = $1 AND block_time >= to_timestamp($2) AND block_time < to_timestamp($3) ORDER BY 1`,
            [NETWORKS[name].chainId, timeOf(BLOCKS * day), timeOf(BLOCKS * (day + 1))],
          )
        ).map(({ line }) => line)
      const take = async (each: Step) => {
        if ('fill' in each) await fill(each.fill, { from: each.part * PART, to: each.part * PART + PART - 1 })
        if ('retain' in each) await retain(each.retain)
        if ('restore' in each) await restore(each.restore)
        if ('change' in each) {
          const version = chain[each.change].get(each.block)
          if (version !== undefined) chain[each.change].set(each.block, version + 1)
          const range = { from: each.block, to: each.block }
          const replacement = {
            ...range,
            trades: tradesIn(each.change, range),
            pools: [],
            tokens: [],
            times: new Map(),
          }
          await followed.stores[each.change].replaceRange({
            ...replacement,
            moves: movesOf(replacement.trades),
          })
        }
      }
      for (const each of actions) {
        if ('all' in each) await fillAll()
        if ('recount' in each) await followed.stores.bsc.recountDay(DAY + each.recount)
        if ('write' in each) {
          const due = await lake.dueDays(each.write)
          for (const day of due) {
            const blocks = { from: BLOCKS * (day - DAY), to: BLOCKS * (day - DAY) + BLOCKS - 1 }
            expect(missingRanges(blocks, await followed.stores[each.write].coveredRanges())).toEqual([])
          }
          const day = due[each.which % due.length]
          if (day === undefined) continue
          const version = await lake.beginDay(each.write, day)
          written.set(`${each.write} ${day}`, await rowsOf(each.write, day - DAY))
          expect(await lake.confirmDay(each.write, day, version)).toBe(true)
        }
        if ('at' in each) {
          // Changed rows of a block that is being filled in would be of either version.
          const steps = each.at.filter((one) => !('change' in one) || each.at.length === 1)
          for (const outcome of await Promise.allSettled(steps.map(take))) {
            if (outcome.status === 'rejected' && !isExpected(outcome.reason)) throw outcome.reason
          }
          await checkRows()
        }
      }
      await checkCounters()
      for (const name of FOLLOWED) {
        const covered = await followed.stores[name].coveredRanges()
        for (const { day, isWritten, isChanged } of await lake.lakeDays(name)) {
          const blocks = { from: BLOCKS * (day - DAY), to: BLOCKS * (day - DAY) + BLOCKS - 1 }
          if (!isWritten || isChanged || day - DAY < (await since()) || missingRanges(blocks, covered).length > 0)
            continue
          expect(await rowsOf(name, day - DAY)).toEqual(written.get(`${name} ${day}`))
        }
      }
      // With all days, the database is as if nothing had ever been dropped.
      while ((await restore(0)) === 'rows-left') await followed.stores.bsc.dropDaysBefore(DAY)
      for (const name of FOLLOWED) await followed.stores[name].lowerStart(pointOf(0))
      await fillAll()
      await checkCounters()
      const contents = await tableContents(database.pool, TABLES)
      await end()
      await begin(chain)
      await fillAll()
      expect(contents).toEqual(await tableContents(database.pool, TABLES))
      await end()
    }),
    { numRuns: 15 * inject('scale'), endOnFailure: true },
  )
}, 300_000)

/** What a job or a repair meets if another changes the same blocks. */
function isExpected(error: unknown): boolean {
  return error instanceof RangeAlreadyCovered || error instanceof RangeNotSettled
}

/** Both networks have these trades, and all blocks. */
async function filled(blocks: readonly number[], from = 0): Promise<void> {
  const traded = () => new Map(blocks.map((block) => [block, 0]))
  await begin({ bsc: traded(), polygon: traded() })
  closeAfter(end)
  await fill('bsc', { from: 0, to: LAST })
  await fill('polygon', { from, to: LAST })
}

const covered = async (name: Followed) =>
  (await followed.stores[name].coveredRanges()).map(({ from, to, fromTime, toTime }) => {
    expect([fromTime, toTime]).toEqual([timeOf(from), timeOf(to)])
    return [from, to]
  })
const startOf = async (name: Followed) => (await followed.stores[name].networkRow())?.start

describe('restored days', () => {
  it('are not covered, and begin without counters; what is older or newer stays', async () => {
    await filled([5, 15, 25, 31, 45])
    await retain(3)
    const older = await rows(`SELECT * FROM day_total WHERE day < '2026-11-21' ORDER BY 1, 2`)
    await database.pool.query(`
      INSERT INTO wash_day SELECT chain_id, day, 1, 0, '', 1, 0 FROM day_total;
      INSERT INTO pool_day_wash SELECT chain_id, day, '\\x${POOL.address.slice(2)}', 1, 1, 0, 0, 0, 0, 1 FROM day_total`)
    expect(await restore(10)).toBe('restored')
    expect(await since()).toBe(1)
    // Blocks before 31 might be of day 2, as block times may decrease by a minute.
    for (const name of FOLLOWED) {
      expect(await covered(name)).toEqual([
        [0, 9],
        [31, LAST + 3],
      ])
      expect(await startOf(name)).toEqual(pointOf(10))
    }
    expect(await rows(`SELECT * FROM day_total WHERE day < '2026-11-23' ORDER BY 1, 2`)).toEqual(older)
    expect(older).toHaveLength(2)
    for (const table of ['wash_day', 'pool_day_wash']) {
      expect(await rows(`SELECT DISTINCT day - DATE '2026-11-20' AS day FROM ${table} ORDER BY 1`)).toEqual(
        [0, 3, 4].map((day) => ({ day })),
      )
    }
    await checkRows()
    await checkCounters()
    await fillAll()
    expect(await covered('polygon')).toEqual([[0, LAST + 3]])
    await checkRows()
    await checkCounters()
  })

  it('are required from the first block of a network whose history began in them', async () => {
    await filled([15, 31, 45], 12)
    await retain(3)
    expect(await restore(12)).toBe('restored')
    expect(await startOf('polygon')).toEqual(pointOf(12))
    expect(await covered('polygon')).toEqual([[31, LAST + 3]])
  })

  it('are none if a network had blocks in them that is not to be filled in, and need none that had not', async () => {
    await filled([15, 35, 45], 33)
    await retain(3)
    const before = await tableContents(database.pool)
    await expect(restore(10, ['polygon'])).rejects.toThrow('these days have blocks of bsc, too')
    expect(await tableContents(database.pool)).toEqual(before)
    expect(await restore(10, ['bsc'])).toBe('restored')
    expect(await covered('polygon')).toEqual([[33, LAST + 3]])
  })

  it('are filled in also by a network that covers none of them', async () => {
    await filled([35, 45], 33)
    await retain(3)
    expect(await restore(10)).toBe('restored')
    expect(await startOf('polygon')).toEqual(pointOf(10))
    expect(await covered('polygon')).toEqual([
      [9, 9],
      [33, LAST + 3],
    ])
  })

  it('have a new version in the lake, but only once they are complete', async () => {
    await filled([5, 15, 25, 35, 45])
    const lake = openLakeStore(database)
    const write = async () => {
      const due = await lake.dueDays('bsc')
      for (const day of due) expect(await lake.confirmDay('bsc', day, await lake.beginDay('bsc', day))).toBe(true)
      return due.map((day) => day - DAY)
    }
    expect(await write()).toEqual([0, 1, 2, 3, 4])
    await retain(3)
    await restore(10)
    expect(await write()).toEqual([])
    await fill('bsc', { from: 20, to: LAST })
    expect(await write()).toEqual([])
    await fill('bsc', { from: 10, to: 19 })
    expect(await write()).toEqual([1, 2])
    expect((await lake.lakeDays('bsc')).map(({ version }) => version)).toEqual([1, 2, 2, 1, 1])
  })

  it('are none while rows of dropped days are left', async () => {
    await filled([5, 15, 25, 35])
    await database.pool.query(`INSERT INTO kept_days (since) VALUES ('2026-11-23')`)
    const before = await tableContents(database.pool)
    expect(await restore(10)).toBe('rows-left')
    expect(await tableContents(database.pool)).toEqual(before)
    expect(await startOf('bsc')).toEqual(pointOf(0))
    expect(await followed.stores.bsc.dropDaysBefore(DAY)).toHaveLength(18)
    expect(await restore(10)).toBe('restored')
    await fillAll()
    await checkRows()
  })

  //  block      29         30         31         32
  //  time    2nd day  3rd day + 0   - 30 s    + 30 s       of day 3; the trade of 31 is dropped with day 2
  it('include a block of theirs that is beyond the first of the next day', async () => {
    await begin({ bsc: new Map(), polygon: new Map() })
    closeAfter(end)
    const midnight = timeOf(30)
    const trades = [
      ...[15, 25].map((block) => trade(block, timeOf(block))),
      trade(30, midnight),
      trade(31, midnight - 30),
      trade(32, midnight + 30),
      trade(35, timeOf(35)),
    ]
    const fillWith = async () => {
      const { coveredRanges, commitHistory } = followed.stores.bsc
      for (const { from, to } of missingRanges({ from: 10, to: LAST }, await coveredRanges())) {
        const within = trades.filter(({ blockNumber }) => from <= blockNumber && blockNumber <= to)
        await commitHistory(filling(from, to, within, times(from, to)))
      }
    }
    await fillWith()
    const contents = await tableContents(database.pool, TABLES)
    const lake = openLakeStore(database)
    for (const day of await lake.dueDays('bsc')) await lake.confirmDay('bsc', day, await lake.beginDay('bsc', day))
    await retain(3)
    expect((await database.pool.query('SELECT FROM swap')).rowCount).toBe(3)
    await restore(10)
    const changed = (await lake.lakeDays('bsc')).flatMap(({ day, isChanged }) => (isChanged ? [day - DAY] : []))
    expect(changed).toEqual([2, 3])
    await fillWith()
    const { covered_range: _, ...restored } = await tableContents(database.pool, TABLES)
    expect(contents).toMatchObject(restored)
    await checkCounters()
  })
})

describe('rows that were left out while their day was dropped', () => {
  /** A database whose nth transaction from now on begins only after days 1 and 2 were restored. */
  const restoringBefore = (nth: number, andThen = async () => {}) =>
    afterWork(nth, async () => {
      expect(await restore(10)).toBe('restored')
      await andThen()
    })

  beforeEach(async () => {
    await filled([5, 15, 25, 35])
    await retain(3)
  })

  it('are written by a commit of history that begins after the day was restored', async () => {
    await database.pool.query(
      `UPDATE covered_range SET from_block = 30, from_time = to_timestamp($1) WHERE chain_id = 56`,
      [timeOf(30)],
    )
    await database.pool.query(`UPDATE network SET start_block = 10 WHERE chain_id = 56`)
    await fill('bsc', { from: 10, to: 29 }, restoringBefore(3))
    expect(await since()).toBe(1)
    expect((await rows(`SELECT FROM swap WHERE block_time < '2026-11-23'`)).length).toBe(2)
    await checkRows()
    await checkCounters()
  })

  it('are of a commit that ends before the day is restored', async () => {
    await database.pool.query('UPDATE network SET start_block = 10; DELETE FROM covered_range WHERE chain_id = 56')
    await database.pool.query(`DELETE FROM swap WHERE chain_id = 56`)
    const holder = await session(database)
    await holder.query('BEGIN')
    await holder.query(`INSERT INTO pool_creation VALUES (56, $1, 1, now(), 0, $2, NULL)`, [
      Buffer.from(POOL.address.slice(2), 'hex'),
      Buffer.alloc(32),
    ])
    const range = { from: 10, to: 29 }
    const creations = [creation(15, timeOf(15))]
    const commit = followed.stores.bsc.commitHistory({
      ...filling(10, 29, tradesIn('bsc', range), times(10, 29)),
      creations,
    })
    await waiting(commit)
    const restoring = restore(10)
    await waiting(restoring, 2)
    await holder.query('ROLLBACK')
    await commit
    expect(await restoring).toBe('restored')
    expect(await followed.stores.bsc.coveredRanges()).toMatchObject([{ from: 9, to: 9 }])
  })

  it('are written by a commit of the head', async () => {
    const late = trade(LAST + 4, timeOf(15))
    const { epoch } = followed.leases.bsc
    const store = openIndexerStore(restoringBefore(2), 'bsc')
    await store.commitHead(following(epoch, headers(LAST + 4, LAST + 4, 0, timeOf), [late], { finalNumber: LAST + 1 }))
    expect(await rows(`SELECT block_number::int AS block FROM swap WHERE block_time < '2026-11-23'`)).toEqual([
      { block: LAST + 4 },
    ])
  })

  it('are not deleted by a repair that begins after they were filled in again', async () => {
    const range = { from: 15, to: 15 }
    const store = openIndexerStore(
      restoringBefore(2, () => fill('bsc', { from: 0, to: LAST })),
      'bsc',
    )
    const trades = tradesIn('bsc', range)
    await store.replaceRange({ ...range, trades, moves: movesOf(trades), pools: [], tokens: [], times: new Map() })
    await checkRows()
    await checkCounters()
  })
})

it('a day is dropped only after a repair of it that has begun has ended', async () => {
  await filled([5, 15, 25, 35])
  const lake = openLakeStore(database)
  for (const name of FOLLOWED) {
    for (const day of await lake.dueDays(name)) await lake.confirmDay(name, day, await lake.beginDay(name, day))
    await followed.stores[name].raiseStart(pointOf(30))
  }
  const holder = await session(database)
  await holder.query('BEGIN')
  await holder.query('SELECT pg_advisory_xact_lock($1, $2)', [ADVISORY_LOCKS.lake, NETWORKS.bsc.chainId])
  const range = { from: 15, to: 15 }
  chain.bsc.set(15, 1)
  const trades = tradesIn('bsc', range)
  const repair = followed.stores.bsc.replaceRange({ ...range, trades, pools: [], tokens: [], times: new Map() })
  await waiting(repair)
  const drop = followed.stores.bsc.dropDaysBefore(DAY + 3, {
    firstToKeep: (unwritten) => unwritten ?? DAY + 3,
    onLost: () => undefined,
  })
  await waiting(drop, 2)
  await holder.query('COMMIT')
  await repair
  await drop
  // Day 1 has changed, and is kept until the lake has it.
  expect(await since()).toBe(1)
})
