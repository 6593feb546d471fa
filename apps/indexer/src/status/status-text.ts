import type { NetworkStatus } from '@dexfeed/contract'

/** Returns the two largest units, such as `2 h 5 min`, rounded down. */
export function durationText(seconds: number): string {
  const whole = Math.floor(seconds)
  const days = Math.floor(whole / 86_400)
  const hours = Math.floor(whole / 3_600) % 24
  const minutes = Math.floor(whole / 60) % 60
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${whole} s`
}

export function statusText({ ready, networks }: { ready: boolean; networks: readonly NetworkStatus[] }): string {
  const lines = networks.flatMap((network) => [
    headline(network),
    ...remarks(network).map((text) => `         ${text}`),
  ])
  return [...lines, ready ? 'ready' : 'not ready', ''].join('\n')
}

function headline({ network, ready, indexed_block, chain_head, lag_blocks, lag_seconds }: NetworkStatus): string {
  const name = `${network.padEnd(7)}  ${ready ? 'ready' : 'not ready'}`
  if (indexed_block === null) return `${name}  nothing is indexed yet`
  const lag = lag_blocks ? `, ${lag_blocks} below head ${chain_head}` : ''
  return `${name}  block ${indexed_block}${lag}, ${lag_seconds} s old`
}

function remarks(status: NetworkStatus): string[] {
  const { backfill, gaps, degraded, unproven, pools_without_state: unread, awaiting_keys: keys } = status
  const { unknown_headers: unknown, old_rows: old } = status
  const { done_blocks: done, total_blocks: total, blocks_per_s: rate, eta_seconds: eta } = backfill
  const missing = total - done
  return [
    missing > 0
      ? `history: ${done} of ${total} blocks in ${gaps.length + 1} parts, ${rate === null || eta === null ? 'no worker is running' : `${rate} blocks/s, done in ${durationText(eta)}`}`
      : null,
    old !== null
      ? `rows of older rules: ${old.blocks} blocks, derived again ${old.eta_seconds === null ? 'once a worker is running' : `in ${durationText(old.eta_seconds)}`}`
      : null,
    unread > 0 ? `pools: ${unread} are still to be read` : null,
    keys !== null ? `blocks that wait for keys of pools: ${keys.blocks}` : null,
    unknown !== null
      ? `ALERT: headers from block ${unknown.from_block} on have unknown fields (${unknown.fields.join(', ')}), so blocks are read without proof: update dexfeed`
      : null,
    unproven !== null ? `not proven since ${unproven}` : null,
    degraded !== null ? `degraded: ${degraded}` : null,
    status.budget_shortfall !== null ? `budget: ${status.budget_shortfall}` : null,
  ].filter((text) => text !== null)
}
