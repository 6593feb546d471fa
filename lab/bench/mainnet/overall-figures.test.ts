import { expect, it } from 'vitest'
import { overall } from './overall-figures.ts'
import { PRESETS } from './presets.ts'

const options = (...names: ('eth' | 'bsc')[]) => ({
  ...{ preset: 'all', history: 'rpc' as const },
  networks: names.map((network) => ({ network, shape: PRESETS[network] })),
})
const eth = {
  ...{ eth_head_lag_p50_ms: 10, eth_head_lag_p99_ms: 90, eth_head_items_per_block: 2.5, eth_head_refused: 1 },
  ...{ eth_stream_lag_p50_ms: 30, eth_stream_lag_p99_ms: 110 },
  ...{ eth_history_blocks_per_s: 3, eth_week_hours: 5, eth_proof_ms_per_block: 4, eth_blocks_archived: 20 },
}
const bsc = {
  ...{ bsc_head_lag_p50_ms: 20, bsc_head_lag_p99_ms: 80, bsc_head_items_per_block: 2, bsc_head_refused: 2 },
  ...{ bsc_stream_lag_p50_ms: 50, bsc_stream_lag_p99_ms: 100 },
  ...{ bsc_history_blocks_per_s: 40, bsc_week_hours: 9, bsc_proof_ms_per_block: 2, bsc_blocks_archived: 1 },
}

it('returns the worst of the networks, and the sum of what is counted', () => {
  expect(overall(options('eth', 'bsc'), [{ figures: eth }, { figures: bsc }])).toEqual({
    ...{ preset: 'all', history: 'rpc', head_lag_p50_ms: 20, head_lag_p99_ms: 90, head_items_per_block: 2.5 },
    ...{ stream_lag_p50_ms: 50, stream_lag_p99_ms: 110 },
    ...{ refused_head: 3, history_blocks_per_s: 3, week_hours: 9, proof_ms_per_block: 4, blocks_archived: 21 },
  })
})

it('what one of the networks does not have is not known', () => {
  const { bsc_week_hours: _, ...rest } = bsc
  expect(overall(options('eth', 'bsc'), [{ figures: eth }, { figures: rest }])).toMatchObject({ week_hours: null })
  expect(overall(options('eth'), [{ figures: eth }])).toMatchObject({ week_hours: 5 })
})
