import type { NetworkStatus } from '@dexfeed/contract'
import { expect, test } from 'vitest'
import { statusText } from './status-text.ts'

const whole: NetworkStatus = {
  network: 'bsc',
  ready: true,
  chain_head: 100,
  indexed_block: 100,
  indexed_block_time: '2026-11-23T00:00:00.000Z',
  final_block: 90,
  lag_blocks: 0,
  lag_seconds: 2,
  start_block: 1,
  covered: [{ from: 1, to: 100 }],
  gaps: [],
  backfill: { done_blocks: 99, total_blocks: 99, blocks_per_s: null, eta_seconds: 0 },
  old_rows: null,
  degraded: null,
  unproven: null,
  unknown_headers: null,
  pools_without_state: 0,
  awaiting_keys: null,
  unread_venues: null,
  budget_shortfall: null,
  endpoints: [],
  queue: null,
}

test('a network that has everything is one line', () => {
  expect(statusText({ ready: true, networks: [whole] })).toBe('bsc      ready  block 100, 2 s old\nready\n')
})

test('missing parts are shown, with the time when they will be there', () => {
  const filling: NetworkStatus = {
    ...whole,
    ready: false,
    chain_head: 103,
    lag_blocks: 3,
    gaps: [{ from: 20, to: 60 }],
    pools_without_state: 7,
    backfill: { done_blocks: 59, total_blocks: 99, blocks_per_s: 2.5, eta_seconds: 7_500 },
    degraded: 'no endpoint responds',
    unknown_headers: { from_block: 98, fields: ['laterRoot'], since: '2026-11-23T00:00:00.000Z' },
    awaiting_keys: { blocks: 2, pools: 1, since: '2026-11-23T00:00:00.000Z' },
  }
  const empty = { ...whole, network: 'eth' as const, ready: false, indexed_block: null, chain_head: null }
  expect(statusText({ ready: false, networks: [empty, filling] }).split('\n')).toEqual([
    'eth      not ready  nothing is indexed yet',
    'bsc      not ready  block 100, 3 below head 103, 2 s old',
    '         history: 59 of 99 blocks in 2 parts, 2.5 blocks/s, done in 2 h 5 min',
    '         pools: 7 are still to be read',
    '         blocks that wait for keys of pools: 2',
    '         ALERT: headers from block 98 on have unknown fields (laterRoot), so blocks are read without proof: update dexfeed',
    '         degraded: no endpoint responds',
    'not ready',
    '',
  ])
})

test('history without a worker has no end', () => {
  const backfill = { done_blocks: 1, total_blocks: 2, blocks_per_s: null, eta_seconds: null }
  expect(statusText({ ready: false, networks: [{ ...whole, backfill }] })).toContain('in 1 parts, no worker is running')
})

test('rows of older rules are shown, with the time when none is left', () => {
  const text = (eta_seconds: number | null) =>
    statusText({ ready: true, networks: [{ ...whole, old_rows: { blocks: 40, eta_seconds } }] })
  expect(text(120)).toContain('rows of older rules: 40 blocks, derived again in 2 min\n')
  expect(text(null)).toContain('rows of older rules: 40 blocks, derived again once a worker is running\n')
})
