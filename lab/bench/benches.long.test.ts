import { MINUTE } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { runBench } from './test/run-bench.ts'

const LIMIT_MS = 8 * MINUTE

/** Each at its smallest size. `index` and `mainnet` have their own tests. */
const BENCHES: [args: string, figures: string][] = [
  ['live --blocks 3', 'networks median_ms p95_ms'],
  ['live --blocks 3 --networks 3 --poll', 'networks median_ms p95_ms'],
  [
    'quote --pools 100',
    'pools single_us cross_tick_us routed_p99_ms first_max_ms split_p99_ms three_hop_per_s http_ratio load_s rss_mb',
  ],
  [
    'api --rows 100',
    'rows volume_ratio quote_ratio quote_repeated_ratio stream_ratio stream_gzip_ratio first_byte_ms readers_ratio goodput_ratio rss_growth_mb',
  ],
]

test.each(BENCHES)(
  'bench %s ends with its figures as one JSON object',
  async (args, names) => {
    const [bench = '', ...options] = args.split(' ')
    const figures = await runBench(bench, ...options)
    expect(figures).toMatchObject({ bench })
    for (const name of names.split(' ')) expect(figures[name], name).toEqual(expect.any(Number))
  },
  LIMIT_MS,
)
