import type { UnreadPool } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { tellUnread } from './tell-unread.ts'

test('changes of what is to be read are told once, again after a failure, and counted if they traded', async () => {
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const busy: UnreadPool[] = [
    { pool: '0xa', place: 3 },
    { pool: '0xb', place: 5_000 },
    { pool: '0xc', place: null },
  ]
  const looks = [busy, busy, busy, []]
  const ended = new AbortController()
  const told: (readonly UnreadPool[])[] = []
  const counts: number[] = []
  let tries = 0
  const setUnreadPools = async (epoch: number, pools: readonly UnreadPool[]) => {
    expect(epoch).toBe(7)
    if (++tries === 1) throw new Error('no database')
    told.push(pools)
  }
  const pools = {
    unread: () => {
      if (looks.length === 1) ended.abort()
      return looks.shift() ?? []
    },
  }
  const clock = { sleep: () => Promise.resolve() }
  const onUnread = (count: number) => void counts.push(count)
  await tellUnread({ pools, store: { setUnreadPools }, log, onUnread, clock }, 7, ended.signal)
  expect(counts).toEqual([2, 2, 2, 0])
  // What is beyond the most traded moves with each trade and tells nothing.
  expect(told).toEqual([[busy[0], { pool: '0xb', place: 1_001 }, busy[2]], []])
})
