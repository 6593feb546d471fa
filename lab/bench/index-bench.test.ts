import { expect, it } from 'vitest'
import { LIMIT_MS, runBench } from './test/run-bench.ts'

// That each row is as the maker made it, and whether blocks were proven, the benchmark checks itself.
it.each([
  ['logs', false],
  ['receipts', true],
])(
  'indexes a made chain by its %s, and ends with its figures as one JSON object',
  async (read, proven) => {
    const figures = await runBench('index', '--swaps', '2000', '--read', read)
    expect(figures).toMatchObject({ bench: 'index', swaps: 2_000, proven })
    for (const name of ['swaps_per_s', 'floor_swaps_per_s', 'ratio', 'peak_rss_mb']) {
      expect(figures[name], name).toBeGreaterThan(0)
    }
  },
  LIMIT_MS,
)
