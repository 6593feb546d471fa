import { DAY_S } from '@dexfeed/dex'
import { coversSince, type ListedNetwork } from '@dexfeed/store'
import { indexedBlocks, isFresh } from '../service/freshness.ts'
import type { RowCounts } from './day/rendered-block.ts'

export interface ListHeaderOptions {
  maxAgeS: number
  /** Seconds. */
  now: () => number
}

/** What a list of swaps, or a page of it, says of its rows. */
export function listHeaders(
  networks: readonly ListedNetwork[],
  { unpriced, flagged }: Omit<RowCounts, 'rows'>,
  { now, maxAgeS }: ListHeaderOptions,
): Record<string, string> {
  const since = now() - DAY_S
  const complete = networks.every((network) => coversSince(network, since) && isFresh(network, now(), maxAgeS))
  return {
    'Cache-Control': 'public, max-age=1',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Data-Complete': String(networks.length > 0 && complete),
    'X-Unpriced-Swaps': String(unpriced),
    'X-Flagged-Swaps': String(flagged),
    'X-Indexed-Block': indexedBlocks(networks),
  }
}
