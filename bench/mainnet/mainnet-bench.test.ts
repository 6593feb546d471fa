import { expect, it } from 'vitest'
import { LIMIT_MS, runBench } from '../test/run-bench.ts'

const SMALL = ['--days', '0.001', '--pools', '20', '--cycle', '32', '--block-transactions', '6', '--block-swaps', '4']
const SHORT = ['--block-logs', '20', '--minutes', '0.1', '--warm-up', '4', '--latency', '0']

it(
  'follows a made network by the real programs, and ends with its figures as one JSON object',
  async () => {
    const figures = await runBench('mainnet', '--preset', 'bsc', ...SMALL, ...SHORT, '--rate', '0')
    expect(figures).toMatchObject({ bench: 'mainnet', bsc_head_refused: 0, bsc_history_refused: 0 })
    for (const name of [
      'bsc_head_lag_p99_ms',
      'bsc_head_items_per_block',
      'bsc_pools',
      'indexer_rss_mb',
      'api_rss_mb',
    ]) {
      expect(figures[name], name).toBeGreaterThan(0)
    }
  },
  LIMIT_MS,
)
