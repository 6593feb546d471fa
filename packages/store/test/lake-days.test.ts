import { dayOf, type ListedToken, NETWORKS, ROW_RULES } from '@dexfeed/dex'
import { type LakeSpan, type LakeStore, openLakeStore, openReader } from '@dexfeed/store'
import type { Client } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/database/locks.ts'
import { setKeptSince } from '../src/tables/kept-days.ts'
import { isDayComplete } from '../src/tables/lake-day.ts'
import { deployment, filling, headers, MIDNIGHT, session, TOKEN, trade } from './rows/sample.ts'
import { database, fill, follow, lease, rows, store, useStore, waiting } from './rows/scene.ts'

const DAY_S = 86_400
const DAY = dayOf(MIDNIGHT)
const { chainId } = NETWORKS.bsc
const AWAITED = { usdE8: 5n, source: 'stablecoin', flags: 0 } as const

useStore('bsc', 6)

const lake = (): LakeStore => openLakeStore(database)
/** Day n begins with block 10 n. */
const timeOf = (block: number) => MIDNIGHT + DAY_S * Math.floor(block / 10) + (DAY_S / 10) * (block % 10)
const tradeAt = (block: number, over = {}) => trade(block, timeOf(block), over)
const times = (from: number, to: number) => ({ fromTime: timeOf(from), toTime: timeOf(to) })
const fillAt = (from: number, to: number, trades: number[] = []) =>
  fill(
    from,
    to,
    trades.map((block) => tradeAt(block)),
    times(from, to),
  )

/** Blocks to 36 are final; days 1 and 2 have trades, and day 0 and 3 lack blocks. */
async function twoDays(): Promise<void> {
  await fillAt(5, 35, [8, 12, 18, 22, 31])
  await follow(headers(36, 38, 0, timeOf), [], { finalNumber: 36 })
}

const due = async () => (await lake().dueDays('bsc')).map((day) => day - DAY)

/** Writes a day as the lake's program does. */
async function write(day: number): Promise<boolean> {
  return lake().confirmDay('bsc', DAY + day, await lake().beginDay('bsc', DAY + day))
}

const changed = async () =>
  (await lake().lakeDays('bsc')).flatMap(({ day, isChanged }) => (isChanged ? [day - DAY] : []))

describe('a day is due', () => {
  it('once it is complete, until it is written', async () => {
    await fillAt(5, 19, [8, 12, 18])
    expect(await due()).toEqual([])
    await fillAt(21, 35, [22, 31])
    await follow(headers(36, 38, 0, timeOf), [], { finalNumber: 36 })
    // Block 20, the first of day 2, is missing: day 1 lacks a block after its end.
    expect(await due()).toEqual([])
    await fillAt(20, 20)
    expect(await due()).toEqual([1, 2])
    expect(await write(1)).toBe(true)
    expect(await due()).toEqual([2])
    expect(await write(2)).toBe(true)
    expect(await due()).toEqual([])
    expect(await lake().lakeDays('bsc')).toEqual(
      [1, 2].map((day) => ({ day: DAY + day, version: 1, isWritten: true, isChanged: false })),
    )
    expect(await lake().dueDays('eth')).toEqual([])
    for (const [day, isComplete] of [false, true, true, false].entries()) {
      expect(await isDayComplete(database.prisma, chainId, DAY + day)).toBe(isComplete)
    }
  })

  it('also without trades, between days with trades', async () => {
    await fillAt(5, 35, [8, 31])
    await follow(headers(36, 38, 0, timeOf), [], { finalNumber: 36 })
    expect(await due()).toEqual([1, 2])
  })

  it('from the first day of a chain on', async () => {
    await fillAt(0, 35, [1, 31])
    await follow(headers(36, 38, 0, timeOf), [], { finalNumber: 36 })
    expect(await due()).toEqual([0, 1, 2])
  })

  it.each<[string, string, number[]]>([
    ['its blocks are not final', 'UPDATE network SET final_number = 35', []],
    [
      'older rules made its rows',
      `INSERT INTO covered_range SELECT chain_id, 30, 38, to_timestamp(${timeOf(30)}), to_time, rules FROM covered_range;
       UPDATE covered_range SET to_block = 29, to_time = to_timestamp(${timeOf(30)}), rules = ${ROW_RULES - 1} WHERE from_block = 5`,
      [],
    ],
    ['it is dropped', `INSERT INTO kept_days (since) VALUES ('2026-11-22')`, [2]],
    [
      'values are awaited in it',
      `INSERT INTO awaited_value SELECT chain_id, block_number, 0, 0, block_time, 1, 0, 0, '', '' FROM swap WHERE block_number = 22`,
      [1],
    ],
  ])('only if not: %s', async (_, sql, expected) => {
    await twoDays()
    await database.pool.query(sql)
    expect(await due()).toEqual(expected)
  })

  it('again when its rows have changed', async () => {
    await twoDays()
    for (const day of [1, 2]) await write(day)
    await store.replaceRange({ from: 12, to: 12, ...nothing })
    expect(await due()).toEqual([1])
    await write(1)
    expect(await due()).toEqual([])
  })

  it('again when its files are lost, with another version', async () => {
    await twoDays()
    await write(1)
    await lake().forgetDay('bsc', DAY + 1)
    expect(await due()).toEqual([1, 2])
    expect(await lake().beginDay('bsc', DAY + 1)).toBe(2)
    expect(await lake().beginDay('bsc', DAY + 1, 7)).toBe(8)
    expect(await lake().beginDay('bsc', DAY + 1, 7)).toBe(9)
  })
})

it('of days without a network that is active, none has to be written', async () => {
  await twoDays()
  // Day 0 has trades, but not the block before it.
  expect(await store.firstUnwrittenDay()).toBe(DAY + 1)
  // The start has moved past blocks that are not covered.
  await database.pool.query(`UPDATE network SET start_block = 60, start_time = to_timestamp(${timeOf(60)})`)
  expect(await store.firstUnwrittenDay()).toBe(DAY + 1)
  await database.pool.query(`UPDATE network SET start_block = 0, start_time = to_timestamp(${MIDNIGHT})`)
  expect(await store.firstUnwrittenDay()).toBe(DAY)
  await database.pool.query(`INSERT INTO kept_days (since) VALUES ('2026-11-22')`)
  expect(await store.firstUnwrittenDay()).toBe(DAY + 2)
  await database.pool.query('UPDATE network SET active = false')
  expect(await store.firstUnwrittenDay()).toBeNull()
})

it('of two that begin a day, the first does not confirm it', async () => {
  await twoDays()
  const [first, second] = await Promise.all([lake().beginDay('bsc', DAY + 1), lake().beginDay('bsc', DAY + 1)])
  expect([first, second].sort()).toEqual([1, 2])
  expect(await lake().confirmDay('bsc', DAY + 1, 1)).toBe(false)
  expect(await due()).toEqual([1, 2])
  expect(await lake().confirmDay('bsc', DAY + 1, 2)).toBe(true)
  expect(await due()).toEqual([2])
})

const nothing = { trades: [], pools: [], tokens: [], times: new Map<number, number>() }

/** Lists the token, and then as it is now. */
async function list(now: Partial<ListedToken>): Promise<void> {
  for (const over of [{}, now]) {
    await store.configure(lease.epoch, { ...deployment('bsc'), tokens: [{ ...TOKEN, decimals: 18, ...over }] })
  }
}

/** What changes rows of covered blocks, and the days that it changes. */
const WRITERS: [string, () => Promise<unknown>, number[]][] = [
  ['a replacement of blocks of a day', () => store.replaceRange({ from: 12, to: 12, ...nothing }), [1]],
  [
    'a replacement of blocks of a day without trades',
    () => store.replaceRange({ from: 19, to: 19, ...nothing }),
    [1, 2],
  ],
  ['a replacement of blocks of two days', () => store.replaceRange({ from: 18, to: 22, ...nothing }), [1, 2]],
  ['a replacement of blocks of another day', () => store.replaceRange({ from: 5, to: 8, ...nothing }), []],
  [
    'renewed rows',
    async () => {
      await database.pool.query('UPDATE covered_range SET rules = 0')
      const { fromTime, toTime } = times(22, 23)
      await store.renew(filling(22, 23, [], { fromTime, toTime }))
    },
    [2],
  ],
  [
    'a rollback below the final block',
    () => store.rollBackBelowFinal(lease.epoch, { number: 18, timestamp: timeOf(18) }, []),
    [1, 2],
  ],
  [
    'settled values',
    () => store.settleAwaitedValues([TOKEN, { ...TOKEN, address: `0x${'02'.padStart(40, '0')}` }]),
    [2],
  ],
  ['a recount', () => store.recountDay(DAY + 2), [2]],
  ['other decimals of a listed token', () => list({ decimals: 6 }), [1, 2]],
  ['another anchor', () => store.configure(lease.epoch, { ...deployment('bsc'), anchors: [TOKEN.address] }), [1, 2]],
]

describe.each(WRITERS)('%s', (_, change, days) => {
  let holder: Client

  beforeEach(async () => {
    await fill(
      5,
      35,
      [8, 12, 18, 31]
        .map((block) => tradeAt(block))
        .concat(tradeAt(22, { usdE8: null, source: null, awaited: AWAITED })),
      times(5, 35),
    )
    await follow(headers(36, 38, 0, timeOf), [], { finalNumber: 36 })
    holder = await session(database)
  })

  it('marks the days that it changes', async () => {
    for (const day of [1, 2]) expect(await write(day)).toBe(true)
    await change()
    expect(await changed()).toEqual(days)
    for (const day of [1, 2]) expect(await write(day)).toBe(true)
    expect(await changed()).toEqual([])
  })

  it('marks days that were begun in the meantime', async () => {
    const versions = [await lake().beginDay('bsc', DAY + 1), await lake().beginDay('bsc', DAY + 2)]
    await change()
    const confirmed = await Promise.all(
      versions.map((version, index) => lake().confirmDay('bsc', DAY + 1 + index, version)),
    )
    expect(confirmed).toEqual([1, 2].map((day) => !days.includes(day)))
  })

  // The beginner inserts the row while the writer waits for it.
  it('waits for a day that is just being begun, and marks it', async () => {
    await holder.query('BEGIN')
    await holder.query('SELECT pg_advisory_xact_lock($1, $2)', [ADVISORY_LOCKS.lake, chainId])
    const changing = change()
    await waiting(changing)
    for (const day of [1, 2]) {
      const [from, to] = day === 1 ? [9, 21] : [19, 30]
      await holder.query(`INSERT INTO lake_day VALUES ($1, DATE '1970-01-01' + $2::int, 1, $3, $4, false, false)`, [
        chainId,
        DAY + day,
        from,
        to,
      ])
    }
    await holder.query('COMMIT')
    await changing
    expect(await changed()).toEqual(days)
  })
})

describe('to begin a day', () => {
  let holder: Client

  beforeEach(async () => {
    await twoDays()
    holder = await session(database)
  })

  it('waits for transactions that have marked their days', async () => {
    await holder.query('BEGIN; SELECT FROM lake_day')
    await holder.query('SELECT pg_advisory_xact_lock_shared($1, $2)', [ADVISORY_LOCKS.lake, chainId])
    const begun = lake().beginDay('bsc', DAY + 1)
    await waiting(begun)
    await holder.query('COMMIT')
    expect(await begun).toBe(1)
  })

  it('delays neither the head nor history', async () => {
    await holder.query('BEGIN')
    await holder.query('SELECT pg_advisory_xact_lock($1, $2)', [ADVISORY_LOCKS.lake, chainId])
    await follow(headers(39, 40, 0, timeOf), [tradeAt(39)], { finalNumber: 37 })
    await follow(headers(40, 41, 1, timeOf), [tradeAt(41)], { finalNumber: 37, rollbackTo: 39 })
    await fillAt(1, 3, [2])
    await holder.query('COMMIT')
  })
})

it('a block of a day may be beyond the first of the next day, and before the last of the previous one', async () => {
  const times = [timeOf(18), timeOf(20) + 30, timeOf(20) - 30, timeOf(20) + 40, timeOf(20) - 20, timeOf(22)]
  const trades = times.map((time, index) => trade(18 + index, time))
  await fill(5, 35, [tradeAt(8), ...trades, tradeAt(31)], { fromTime: timeOf(5), toTime: timeOf(35) })
  await follow(headers(36, 38, 0, timeOf), [], { finalNumber: 36 })
  for (const block of [19, 22]) {
    for (const day of [1, 2]) await write(day)
    await store.replaceRange({ from: block, to: block, ...nothing })
    expect(await changed()).toEqual([1, 2])
  }
})

it('of dropped days, none is marked for decimals of a token', async () => {
  await twoDays()
  for (const day of [1, 2]) await write(day)
  await database.pool.query(`INSERT INTO kept_days (since) VALUES ('2026-11-22')`)
  await list({ decimals: 6 })
  expect(await changed()).toEqual([2])
})

it('commits that only add rows, rollbacks of the head and names change no day that is complete', async () => {
  await twoDays()
  for (const day of [1, 2]) await write(day)
  await fillAt(1, 4, [2])
  await follow(headers(37, 39, 1, timeOf), [tradeAt(39)], { finalNumber: 36, rollbackTo: 36 })
  await store.dropPoolStates(lease.epoch)
  await list({ symbol: 'OTHER', name: 'Another' })
  expect(await changed()).toEqual([])
  expect(await rows('SELECT from_block::int AS "from", to_block::int AS "to" FROM lake_day ORDER BY day')).toEqual([
    { from: 9, to: 21 },
    { from: 19, to: 30 },
  ])
})

describe('days that are no longer kept', () => {
  const requests: LakeSpan[] = []
  const past = () =>
    openReader(database, {
      lake: {
        rows: async (request) => {
          requests.push(request)
          return []
        },
      },
    }).past('bsc')
  const startOf = (day: number) => MIDNIGHT + DAY_S * day

  beforeEach(async () => {
    requests.length = 0
    for (const day of [1, 2, 4, 5, 6]) await write(day)
  })

  it('are read from the lake, back to the first that is not there as it is', async () => {
    expect(await past()).toBe(null)
    await setKeptSince(database.prisma, DAY + 6)
    expect(await past()).toMatchObject({ since: startOf(4), keptSince: startOf(6) })
    await database.pool.query(`UPDATE lake_day SET is_changed = true WHERE day = DATE '1970-01-01' + ${DAY + 4}`)
    expect(await past()).toMatchObject({ since: startOf(5), keptSince: startOf(6) })
    await database.pool.query(`UPDATE lake_day SET is_written = false WHERE day = DATE '1970-01-01' + ${DAY + 5}`)
    expect(await past()).toBe(null)
    expect(await openReader(database).past('bsc')).toBe(null)
  })

  it('are requested in the versions of the database, and no other days are', async () => {
    await setKeptSince(database.prisma, DAY + 6)
    await database.pool.query(`UPDATE lake_day SET version = day - DATE '1970-01-01' - ${DAY}`)
    const of = { token: TOKEN.address }
    const spans = [
      [0, 9],
      [4.5, 5],
      [5, 5.1],
      [6, 9],
      [0, 4],
    ] as const
    for (const [from, to] of spans) await (await past())?.rows('flows', { from: startOf(from), to: startOf(to) }, of)
    const common = { kind: 'flows', network: 'bsc', of }
    expect(requests).toEqual([
      { ...common, from: startOf(4), to: startOf(6), firstDay: DAY + 4, versions: [4, 5] },
      { ...common, from: startOf(4.5), to: startOf(5), firstDay: DAY + 4, versions: [4] },
      { ...common, from: startOf(5), to: startOf(5.1), firstDay: DAY + 5, versions: [5] },
    ])
  })
})
