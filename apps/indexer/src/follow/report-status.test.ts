import type { UnreadChanges, UnreadPool } from '@dexfeed/store'
import { expect, test, vi } from 'vitest'
import { quiet } from '../../test/scene/made-values.ts'
import { reportBudget, reportUnread } from './report-status.ts'

test('a budget below what the head needs is reported once, and so is its end', async () => {
  const shortfalls = ['5 of 8', '5 of 8', '4 of 8', null, null]
  const [stored, warned]: [unknown[], unknown[]] = [[], []]
  const ended = new AbortController()
  const clock = {
    sleep: async () => {
      if (shortfalls.length === 0) ended.abort()
    },
  }
  const log = { debug: vi.fn(), info: vi.fn(), warn: (values: object) => warned.push(values), error: vi.fn() }
  let failures = 1
  const store = {
    setBudgetShortfall: async (shortfall: string | null, epoch: number) => {
      if (failures-- > 0) throw new Error('the database is away')
      stored.push([shortfall, epoch])
    },
  }
  const chain = { budgetShortfall: () => shortfalls.shift() ?? null }
  await reportBudget({ chain, store, log, clock }, 7, ended.signal)
  expect(stored).toEqual([
    ['5 of 8', 7],
    ['4 of 8', 7],
    [null, 7],
  ])
  expect(warned).toEqual([{ shortfall: '5 of 8' }, { shortfall: '4 of 8' }])
})

test('a shortfall whose write seemed to fail is removed when it is over', async () => {
  const shortfalls = [null, '5 of 8', null]
  let row: string | null = 'of another process'
  const ended = new AbortController()
  const clock = {
    sleep: async () => {
      if (shortfalls.length === 0) ended.abort()
    },
  }
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const store = {
    setBudgetShortfall: async (shortfall: string | null) => {
      row = shortfall
      if (shortfall !== null) throw new Error('the response was lost')
    },
  }
  await reportBudget(
    { chain: { budgetShortfall: () => shortfalls.shift() ?? null }, store, log, clock },
    7,
    ended.signal,
  )
  expect(row).toBeNull()
})

const learnFound = async () => []
const SETTLED = { isSettled: () => true }

test('unread pools are reported in full first, then as changes, again after a failure, and counted if they traded', async () => {
  const busy: UnreadPool[] = [
    { pool: '0xa', place: 3 },
    { pool: '0xb', place: 5_000 },
    { pool: '0xc', place: null },
  ]
  const later: UnreadPool[] = [
    { pool: '0xa', place: 2 },
    { pool: '0xb', place: 6_000 },
    { pool: '0xd', place: null },
  ]
  const looks = [null, busy, busy, busy, later, later, []]
  const ended = new AbortController()
  const reported: UnreadChanges[] = []
  const counts: number[] = []
  let tries = 0
  const changeUnreadPools = async (epoch: number, changes: UnreadChanges) => {
    expect(epoch).toBe(7)
    tries++
    if (tries === 1 || tries === 3) throw new Error('no database')
    reported.push(changes)
  }
  const pools = {
    ...SETTLED,
    unread: () => {
      if (looks.length === 1) ended.abort()
      return looks.shift() ?? null
    },
  }
  const clock = { sleep: () => Promise.resolve() }
  const onUnread = (count: number) => void counts.push(count)
  await reportUnread({ pools, store: { changeUnreadPools }, learnFound, log: quiet, onUnread, clock }, 7, ended.signal)
  expect(counts).toEqual([2, 2, 2, 2, 2, 0])
  expect(reported).toEqual([
    // Places beyond the most traded pools change with each trade and are not reported.
    { unread: [busy[0], { pool: '0xb', place: 1_001 }, busy[2]], read: null },
    { unread: [later[0], later[2]], read: ['0xc'] },
    { unread: [], read: ['0xa', '0xb', '0xd'] },
  ])
})

//  looks:  a       a, b              a
//  write:  a       b, response lost  b is read
test('a change whose write seemed to fail is reverted when it is over', async () => {
  const [a, b]: UnreadPool[] = [
    { pool: '0xa', place: 3 },
    { pool: '0xb', place: 4 },
  ]
  const looks = [[a], [a, b], [a]] as UnreadPool[][]
  const ended = new AbortController()
  const rows = new Map<string, number | null>()
  const changeUnreadPools = async (_: number, { unread, read }: UnreadChanges) => {
    if (read === null) rows.clear()
    for (const { pool, place } of unread) rows.set(pool, place)
    for (const pool of read ?? []) rows.delete(pool)
    if (rows.has('0xb')) throw new Error('the response was lost')
  }
  const pools = {
    ...SETTLED,
    unread: () => {
      if (looks.length === 1) ended.abort()
      return looks.shift() ?? null
    },
  }
  await reportUnread(
    { pools, store: { changeUnreadPools }, learnFound, log: quiet, clock: { sleep: async () => {} } },
    7,
    ended.signal,
  )
  expect([...rows]).toEqual([['0xa', 3]])
})

//  found:  a, b    a, b          a
//  looks:  a       a             (none)
//  state:          b is known    a is known
test('a found pool is unread until its state is known, whether or not it was ever reported', async () => {
  const looks = [[{ pool: '0xa', place: 5 }], [{ pool: '0xa', place: 5 }], []] as UnreadPool[][]
  const states = new Set<string>()
  const ended = new AbortController()
  const rows = new Map<string, number | null>([
    ['0xa', 0],
    ['0xb', 0],
    ['0xc', 7],
  ])
  const before: [string, number | null][][] = []
  const changeUnreadPools = async (_: number, { unread, read }: UnreadChanges) => {
    if (read === null) for (const [pool, place] of rows) if (place !== 0) rows.delete(pool)
    for (const { pool, place } of unread) rows.set(pool, place)
    for (const pool of read ?? []) rows.delete(pool)
  }
  const pools = {
    unread: () => {
      before.push([...rows])
      if (looks.length === 2) states.add('0xb')
      if (looks.length === 1) states.add('0xa')
      if (looks.length === 1) ended.abort()
      return looks.shift() ?? null
    },
    isSettled: (pool: string) => states.has(pool),
  }
  const found = async () => [...rows].flatMap(([pool, place]) => (place === 0 ? [pool as '0xa'] : []))
  const store = { changeUnreadPools }
  await reportUnread({ pools, store, learnFound: found, log: quiet, clock: { sleep: async () => {} } }, 7, ended.signal)
  expect(before.slice(1)).toEqual([
    [
      ['0xa', 5],
      ['0xb', 0],
    ],
    [['0xa', 5]],
  ])
  expect([...rows]).toEqual([])
})
