import type { MainnetOptions } from './mainnet-options.ts'

/** By name, of all networks together: the worst of them, or their sum. */
const OVERALL = {
  head_lag_p50_ms: ['head_lag_p50_ms', Math.max],
  stream_lag_p50_ms: ['stream_lag_p50_ms', Math.max],
  stream_lag_p99_ms: ['stream_lag_p99_ms', Math.max],
  head_lag_p99_ms: ['head_lag_p99_ms', Math.max],
  head_items_per_block: ['head_items_per_block', Math.max],
  refused_head: ['head_refused', sum],
  history_blocks_per_s: ['history_blocks_per_s', Math.min],
  week_hours: ['week_hours', Math.max],
  proof_ms_per_block: ['proof_ms_per_block', Math.max],
  blocks_archived: ['blocks_archived', sum],
} as const

/** Figures that every run has under the same names; null where a network has none. */
export function overall(
  { preset, networks, history }: Pick<MainnetOptions, 'preset' | 'networks' | 'history'>,
  parts: readonly { figures: Readonly<Record<string, number>> }[],
): Record<string, number | string | null> {
  const all: Readonly<Record<string, number>> = Object.assign({}, ...parts.map(({ figures }) => figures))
  const figures = Object.entries(OVERALL).map(([name, [own, join]]) => {
    const found = networks.map(({ network }) => all[`${network}_${own}`])
    const values = found.filter((value) => value !== undefined)
    return [name, values.length < found.length ? null : join(...values)] as const
  })
  return { preset, history, ...Object.fromEntries(figures) }
}

function sum(...values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
