import type { NetworkActivity } from '@dexfeed/store'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { quiet } from '../../test/scene/made-values.ts'
import { indexerMetrics } from '../indexer-metrics.ts'
import { ActivityCounts, reportActivity } from './report-activity.ts'

const [KEYED, PLAIN] = ['https://one.example/***', 'http://two.example:8545']
const request = { priority: 'live', items: 10, refused: 1, failed: 2, waitedMs: 0, budgetPerS: null } as const

test('requests of the last minute are counted by the place of their endpoint, and metrics still see them', async () => {
  const registry = new Registry()
  const activity = new ActivityCounts([
    'https://one.example/key-one',
    'https://one.example/key-two',
    'https://unused.example',
    PLAIN,
  ])
  const { onRequest, onQueue } = activity.watching(indexerMetrics(registry)('bsc'))
  expect(activity.take()).toEqual({ endpoints: [], queue: null })
  onRequest({ ...request, endpoint: KEYED })
  onRequest({ ...request, endpoint: PLAIN, budgetPerS: 20 })
  const queue = { waiting: 3, taken: 2, failed: 1, workers: 4 }
  onQueue?.(queue)
  const counted = (times: number) => ({ items: 10 * times, refused: times, failed: 2 * times })
  const second = { endpoint: 4, ...counted(1), budgetPerS: 20 }
  expect(activity.take()).toEqual({ endpoints: [{ endpoint: 1, ...counted(1), budgetPerS: null }, second], queue })
  onRequest({ ...request, endpoint: KEYED, budgetPerS: 7 })
  for (let interval = 0; interval < 5; interval++) {
    expect(activity.take().endpoints).toEqual([{ endpoint: 1, ...counted(2), budgetPerS: 7 }, second])
  }
  onQueue?.(null)
  expect(activity.take()).toEqual({
    endpoints: [
      { endpoint: 1, ...counted(1), budgetPerS: 7 },
      { endpoint: 4, ...counted(0), budgetPerS: 20 },
    ],
    queue: null,
  })
  expect(await registry.metrics()).toContain(
    `dexfeed_rpc_items_total{network="bsc",endpoint="${KEYED}",priority="live"} 20`,
  )
})

test('the activity is stored again after a failure', async () => {
  const ended = new AbortController()
  const stored: NetworkActivity[] = []
  let tries = 0
  const store = {
    setActivity: async (networkActivity: NetworkActivity) => {
      if (++tries === 1) throw new Error('the database is away')
      stored.push(networkActivity)
      if (stored.length === 2) ended.abort()
    },
  }
  const activity = new ActivityCounts([PLAIN])
  await reportActivity({ activity, store, log: quiet, clock: { sleep: async () => {} } }, ended.signal)
  expect(stored).toEqual([
    { endpoints: [], queue: null },
    { endpoints: [], queue: null },
  ])
})
