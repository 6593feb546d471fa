import { openChain } from '@dexfeed/chain'
import { closeAfter } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { dropOldDays } from '../src/days/day-loops.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

const DAY_S = 86_400

//  days   0 1 .. 15 | 16     with a retention of 8 days, days 0 to 7 are old; only 0 and 1 are in the lake at first
test('days that are not in the lake are kept, 7 days longer or until the disk is nearly full', async () => {
  const scene = await scriptedScene('eth', 100, { blockTimeS: 4 * 3_600 })
  const { database, store } = await openStore(await scene.indexed())
  const chain = openChain({
    ...{ network: 'eth', urls: [scene.rpcUrl], topics: watchedTopics(scene.deployment), pollMs: 50, log: quiet },
  })
  closeAfter(() => chain.close())
  const errors: string[] = []
  const log = { ...quiet, error: (_: object, message: string) => void errors.push(message) }
  const lost: number[] = []
  const drop = async (retentionDays: number, isDiskLow = false) => {
    const lake = { isDiskLow: async () => isDiskLow }
    await dropOldDays({ chain, store, retentionDays, lake, log, onLost: (days) => void lost.push(days) })
    return (await store.keptSince()) ?? 0
  }
  const write = (from: number, to: number) =>
    database.pool.query(
      `INSERT INTO lake_day SELECT 1, day, 1, 0, 0, true, false FROM generate_series(to_timestamp($1)::date, to_timestamp($2)::date, interval '1 day') AS day
       ON CONFLICT DO NOTHING`,
      [from * DAY_S, to * DAY_S],
    )
  const { rows } = await database.pool.query<{ first: number; last: number }>(
    `SELECT min(day) - DATE '1970-01-01' AS first, max(day) - DATE '1970-01-01' AS last FROM day_total WHERE swaps > 0`,
  )
  const { first, last } = rows[0] ?? { first: 0, last: 0 }
  const start = async () => (await store.networkRow())?.start?.timestamp ?? 0

  await write(first, first + 1)
  expect(await drop(last - first - 5)).toBe((first + 2) * DAY_S)
  expect(await start()).toBeLessThan((first + 3) * DAY_S)
  // A full disk costs one day at a time.
  expect(await drop(last - first - 5, true)).toBe((first + 3) * DAY_S)
  expect([lost, errors.length]).toEqual([[1], 1])
  await write(first + 3, first + 3)
  expect(await drop(last - first - 5)).toBe((first + 4) * DAY_S)
  // A day that changes is held again.
  await write(first + 4, first + 4)
  await database.pool.query('UPDATE lake_day SET is_changed = true WHERE day = to_timestamp($1)::date', [
    (first + 4) * DAY_S,
  ])
  expect(await drop(last - first - 5)).toBe((first + 4) * DAY_S)
  expect([lost, errors.length]).toEqual([[1], 1])
  // 7 days after it is too old, it goes.
  expect(await drop(last - first - 12)).toBe((first + 5) * DAY_S)
  expect([lost, errors.length]).toEqual([[1, 1], 2])
}, 120_000)
