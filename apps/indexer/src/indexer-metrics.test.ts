import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { indexerMetrics } from './indexer-metrics.ts'

test('requests to nodes are counted by endpoint and priority', async () => {
  const registry = new Registry()
  const { onRequest } = indexerMetrics(registry)('bsc')
  const endpoint = 'https://rpc.example/***'
  onRequest({ endpoint, priority: 'bulk', items: 100, refused: 0, failed: 0, waitedMs: 1_500, budgetPerS: null })
  onRequest({ endpoint, priority: 'bulk', items: 50, refused: 20, failed: 0, waitedMs: 500, budgetPerS: 70 })
  onRequest({ endpoint, priority: 'live', items: 2, refused: 0, failed: 2, waitedMs: 0, budgetPerS: 70 })
  const labels = (priority: string) => `{network="bsc",endpoint="${endpoint}",priority="${priority}"}`
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('dexfeed_rpc_'))
  expect(lines.sort()).toEqual(
    [
      `dexfeed_rpc_budget_per_second{network="bsc",endpoint="${endpoint}"} 70`,
      `dexfeed_rpc_failed_items_total${labels('bulk')} 0`,
      `dexfeed_rpc_failed_items_total${labels('live')} 2`,
      `dexfeed_rpc_items_total${labels('bulk')} 150`,
      `dexfeed_rpc_items_total${labels('live')} 2`,
      `dexfeed_rpc_refused_items_total${labels('bulk')} 20`,
      `dexfeed_rpc_refused_items_total${labels('live')} 0`,
      `dexfeed_rpc_wait_seconds_total${labels('bulk')} 2`,
      `dexfeed_rpc_wait_seconds_total${labels('live')} 0`,
    ].sort(),
  )
})

test('the proofs of blocks are counted, and their time', async () => {
  const registry = new Registry()
  const { onProof } = indexerMetrics(registry)('bsc')
  onProof(0.25)
  onProof(0.5)
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('dexfeed_proof'))
  expect(lines.sort()).toEqual([
    'dexfeed_proof_seconds_total{network="bsc"} 0.75',
    'dexfeed_proofs_total{network="bsc"} 2',
  ])
})

test('the first block whose header has unknown fields is shown while there is one', async () => {
  const registry = new Registry()
  const { onUnknownHeaders } = indexerMetrics(registry)('bsc')
  const shown = async () => /^dexfeed_unknown_header_block.*/m.exec(await registry.metrics())?.[0]
  onUnknownHeaders(25_000_000)
  expect(await shown()).toBe('dexfeed_unknown_header_block{network="bsc"} 25000000')
  onUnknownHeaders(null)
  expect(await shown()).toBe('dexfeed_unknown_header_block{network="bsc"} 0')
})

test('pools that were compared with the chain are counted, and those found wrong', async () => {
  const registry = new Registry()
  const { onStates, onInvalidate } = indexerMetrics(registry)('bsc')
  onStates?.({ compared: 7, differences: [] })
  onStates?.({ compared: 4, differences: [] })
  onInvalidate?.(2)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toContain('dexfeed_pools_compared_total{network="bsc"} 11')
  expect(lines).toContain('dexfeed_pools_distrusted_total{network="bsc"} 2')
})

test('the jobs of the queue are shown, and a queue that cannot be used', async () => {
  const registry = new Registry()
  const { onQueue } = indexerMetrics(registry)('bsc')
  const shown = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('dexfeed_queue'))
  onQueue?.({ waiting: 5, taken: 2, failed: 1, workers: 3 })
  expect(await shown()).toEqual([
    'dexfeed_queue_up{network="bsc"} 1',
    'dexfeed_queue_jobs{network="bsc",state="waiting"} 5',
    'dexfeed_queue_jobs{network="bsc",state="taken"} 2',
    'dexfeed_queue_jobs{network="bsc",state="failed"} 1',
    'dexfeed_queue_workers{network="bsc"} 3',
  ])
  onQueue?.(null)
  expect(await shown()).toContain('dexfeed_queue_up{network="bsc"} 0')
})
