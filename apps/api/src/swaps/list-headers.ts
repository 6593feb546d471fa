import { DAY_S, type NetworkName } from '@dexfeed/dex'
import { coversSince, type ListedNetwork } from '@dexfeed/store'
import { indexedBlocks, indexedOf, isFresh, missingNetworks } from '../service/freshness.ts'
import type { ListState } from './day/list.ts'
import type { RowCounts } from './day/listed-row.ts'

export interface ListHeaderOptions {
  maxAgeS: number
  now: () => number
  /** Networks, beside those in the database, without which a list of all networks is not complete. */
  expected: readonly NetworkName[]
}

/** @throws HttpFailure 404 if the only network is not indexed */
export function selectedNetworks({ networks }: ListState, only: NetworkName | undefined): readonly ListedNetwork[] {
  return only === undefined ? networks : [indexedOf(only, networks)]
}

export function listHeaders(
  networks: readonly ListedNetwork[],
  { unpriced, flagged }: Omit<RowCounts, 'rows'>,
  only: NetworkName | undefined,
  { now, maxAgeS, expected }: ListHeaderOptions,
): Record<string, string> {
  const since = now() - DAY_S
  const complete = networks.every((network) => coversSince(network, since) && isFresh(network, now(), maxAgeS))
  const isWhole = only !== undefined || missingNetworks(expected, networks).length === 0
  return {
    'Cache-Control': 'public, max-age=1',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Data-Complete': String(networks.length > 0 && complete && isWhole),
    'X-Unpriced-Swaps': String(unpriced),
    'X-Flagged-Swaps': String(flagged),
    'X-Indexed-Block': indexedBlocks(networks),
  }
}
