import { expect, it } from 'vitest'
import { LIMIT_MS, runBench } from './test/run-bench.ts'

const SMALL = ['--days', '0.001', '--pools', '20', '--cycle', '32', '--block-transactions', '6', '--block-swaps', '4']
const SHORT = ['--block-logs', '20', '--minutes', '0.5', '--warm-up', '4', '--latency', '0']

it.each(['rpc', 'portal'])(
  'follows a made network by the real programs, history by %s, and ends with its figures as one JSON object',
  async (history) => {
    const figures = await runBench(
      'mainnet',
      '--preset',
      'bsc',
      '--history',
      history,
      ...SMALL,
      ...SHORT,
      // History processes run at low priority and would start too late beside other tests.
      ...['--rate', '0', '--workers', '0'],
    )
    expect(figures).toMatchObject({ bench: 'mainnet', preset: 'bsc', history, refused_head: 0, bsc_history_refused: 0 })
    for (const name of [
      ...['head_lag_p50_ms', 'head_lag_p99_ms', 'head_items_per_block', 'proof_ms_per_block'],
      ...['stream_lag_p50_ms', 'stream_lag_p99_ms', 'pool_event_p50_ms', 'pool_event_p99_ms'],
      ...['indexer_rss_mb', 'api_rss_mb', 'bytes_per_row', 'wal_bytes_per_row', 'bsc_pools'],
    ]) {
      expect(figures[name], name).toBeGreaterThan(0)
    }
    // Such a short history may be complete before the measurement begins.
    expect(figures).toHaveProperty('history_blocks_per_s')
    expect(figures).toHaveProperty('week_hours')
    expect(figures.bsc_archived_in_all === 0, 'blocks out of the Portal').toBe(history === 'rpc')
  },
  LIMIT_MS,
)
