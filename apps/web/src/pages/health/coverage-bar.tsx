import type { NetworkStatus } from '@dexfeed/client'

/** Shows which blocks from the start to the head are stored. */
export function CoverageBar({ network }: { network: NetworkStatus }) {
  const { start_block: start, chain_head: head, covered, gaps } = network
  if (start === null || head === null) return <p class="coverage-text">The start is not known yet.</p>
  const length = Math.max(1, head - start + 1)
  const percent = (blocks: number) => `${Math.min(100, Math.max(0, (100 * blocks) / length))}%`
  const text =
    gaps.length === 0
      ? `Blocks ${start} to ${head} are stored without a gap.`
      : `${gaps.length} gaps between block ${start} and ${head}: ${gapsText(gaps)}`
  return (
    <div class="coverage">
      <div class="coverage-bar" role="img" aria-label={text}>
        {covered.map(({ from, to }) => (
          <i key={from} style={{ left: percent(from - start), width: percent(to - from + 1) }} />
        ))}
      </div>
      <p class="coverage-text">{text}</p>
    </div>
  )
}

/** Maximum number of gaps to list. */
const NAMED = 4

function gapsText(gaps: NetworkStatus['gaps']): string {
  const named = gaps.slice(0, NAMED).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
  return named.join(', ') + (gaps.length > NAMED ? ' …' : '')
}
