import type { NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** Is the indexed head no older than `maxAgeS`? Times in seconds. */
export function isFresh({ head }: Pick<IndexedNetwork, 'head'>, now: number, maxAgeS: number): boolean {
  return head !== null && now - head.timestamp <= maxAgeS
}

/** The last second at which it is fresh; where there is no head, none. */
export function freshUntil({ head }: Pick<IndexedNetwork, 'head'>, maxAgeS: number): number {
  return head === null ? Number.NEGATIVE_INFINITY : head.timestamp + maxAgeS
}

/** Those of the networks that are expected which the database does not have. */
export function missingNetworks(
  expected: readonly NetworkName[],
  networks: readonly Pick<IndexedNetwork, 'network'>[],
): NetworkName[] {
  return expected.filter((name) => networks.every(({ network }) => network !== name))
}

/** Value of the header `X-Indexed-Block`. */
export function indexedBlocks(networks: readonly Pick<IndexedNetwork, 'network' | 'head'>[]): string {
  return networks.flatMap(({ network, head }) => (head === null ? [] : [`${network}=${head.number}`])).join(', ')
}
