import type { PoolAddress } from '@dexfeed/dex'
import type { UnreadChanges, UnreadPool } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { quiet } from '../../test/scene/made-values.ts'
import { reportBudget, reportUnread } from './report-status.ts'

/** Reports these budget shortfalls one after the other, and returns the warnings. */
async function reportShortfalls(
  shortfalls: (string | null)[],
  setBudgetShortfall: (shortfall: string | null, epoch: number) => Promise<void>,
) {
  const warned: unknown[] = []
  const ended = new AbortController()
  const sleep = async () => {
    if (shortfalls.length === 0) ended.abort()
  }
  const chain = { budgetShortfall: () => shortfalls.shift() ?? null }
  const log = { ...quiet, warn: (values: object) => warned.push(values) }
  await reportBudget({ chain, store: { setBudgetShortfall }, log, clock: { sleep } }, 7, ended.signal)
  return warned
}

test('a budget below what the head needs is reported once, and so is its end', async () => {
  const stored: unknown[] = []
  let failures = 1
  const warned = await reportShortfalls(['5 of 8', '5 of 8', '4 of 8', null, null], async (shortfall, epoch) => {
    if (failures-- > 0) throw new Error('the database is away')
    stored.push([shortfall, epoch])
  })
  expect(stored).toEqual([
    ['5 of 8', 7],
    ['4 of 8', 7],
    [null, 7],
  ])
  expect(warned).toEqual([{ shortfall: '5 of 8' }, { shortfall: '4 of 8' }])
})

test('a shortfall whose write seemed to fail is removed when it is over', async () => {
  let row: string | null = 'of another process'
  await reportShortfalls([null, '5 of 8', null], async (shortfall) => {
    row = shortfall
    if (shortfall !== null) throw new Error('the response was lost')
  })
  expect(row).toBeNull()
})

interface UnreadScene {
  /** What successive calls of `unread()` return. */
  looks: (UnreadPool[] | null)[]
  write: (changes: UnreadChanges, epoch: number) => void
  /** Runs before each call of `unread()`. */
  onLook?: () => void
  isSettled?: (pool: string) => boolean
  found?: () => PoolAddress[]
  onUnread?: (count: number) => void
}

async function reportLooks({ looks, write, onLook, isSettled = () => true, found = () => [], onUnread }: UnreadScene) {
  const ended = new AbortController()
  const unread = () => {
    onLook?.()
    if (looks.length === 1) ended.abort()
    return looks.shift() ?? null
  }
  const store = { changeUnreadPools: async (epoch: number, changes: UnreadChanges) => write(changes, epoch) }
  const told = onUnread === undefined ? {} : { onUnread }
  const options = { pools: { unread, isSettled }, store, learnFound: async () => found(), log: quiet, ...told }
  await reportUnread({ ...options, clock: { sleep: async () => undefined } }, 7, ended.signal)
}

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
  const reported: UnreadChanges[] = []
  const counts: number[] = []
  let tries = 0
  await reportLooks({
    looks: [null, busy, busy, busy, later, later, []],
    write: (changes, epoch) => {
      expect(epoch).toBe(7)
      tries++
      if (tries === 1 || tries === 3) throw new Error('no database')
      reported.push(changes)
    },
    onUnread: (count) => counts.push(count),
  })
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
  const rows = new Map<string, number | null>()
  await reportLooks({
    looks: [[a], [a, b], [a]] as UnreadPool[][],
    write: ({ unread, read }) => {
      if (read === null) rows.clear()
      for (const { pool, place } of unread) rows.set(pool, place)
      for (const pool of read ?? []) rows.delete(pool)
      if (rows.has('0xb')) throw new Error('the response was lost')
    },
  })
  expect([...rows]).toEqual([['0xa', 3]])
})

//  found:  a, b    a, b          a
//  looks:  a       a             (none)
//  state:          b is known    a is known
test('a found pool is unread until its state is known, whether or not it was ever reported', async () => {
  const looks: UnreadPool[][] = [[{ pool: '0xa', place: 5 }], [{ pool: '0xa', place: 5 }], []]
  const states = new Set<string>()
  const rows = new Map<string, number | null>([
    ['0xa', 0],
    ['0xb', 0],
    ['0xc', 7],
  ])
  const before: [string, number | null][][] = []
  await reportLooks({
    looks,
    write: ({ unread, read }) => {
      if (read === null) for (const [pool, place] of rows) if (place !== 0) rows.delete(pool)
      for (const { pool, place } of unread) rows.set(pool, place)
      for (const pool of read ?? []) rows.delete(pool)
    },
    onLook: () => {
      before.push([...rows])
      if (looks.length === 2) states.add('0xb')
      if (looks.length === 1) states.add('0xa')
    },
    isSettled: (pool) => states.has(pool),
    found: () => [...rows].flatMap(([pool, place]) => (place === 0 ? [pool as '0xa'] : [])),
  })
  expect(before.slice(1)).toEqual([
    [
      ['0xa', 5],
      ['0xb', 0],
    ],
    [['0xa', 5]],
  ])
  expect([...rows]).toEqual([])
})
