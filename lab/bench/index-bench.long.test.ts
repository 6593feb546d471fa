import { expect, it } from 'vitest'
import { LIMIT_MS, runBench } from './test/run-bench.ts'

// The benchmark itself compares each row with the made chain, and checks whether blocks were proven.
it.each([
  ['logs', '0', false],
  ['receipts', '0', true],
  ['receipts', '1', true],
])(
  'indexes a made chain by its %s with %s more processes, and ends with its figures as one JSON object',
  async (read, workers, proven) => {
    const figures = await runBench('index', '--swaps', '2000', '--read', read, '--workers', workers)
    expect(figures).toMatchObject({ bench: 'index', swaps: 2_000, proven })
    for (const name of ['swaps_per_s', 'floor_swaps_per_s', 'ratio', 'peak_rss_mb', 'disk_bytes_per_trade']) {
      expect(figures[name], name).toBeGreaterThan(0)
    }
  },
  LIMIT_MS,
)
