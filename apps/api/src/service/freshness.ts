import type { IndexedNetwork } from '@dexfeed/store'

/** Is the indexed head no older than `maxAgeS`? Times in seconds. */
export function isFresh({ head }: Pick<IndexedNetwork, 'head'>, now: number, maxAgeS: number): boolean {
  return head !== null && now - head.timestamp <= maxAgeS
}

/** Value of the header `X-Indexed-Block`. */
export function indexedBlocks(networks: readonly Pick<IndexedNetwork, 'network' | 'head'>[]): string {
  return networks.flatMap(({ network, head }) => (head === null ? [] : [`${network}=${head.number}`])).join(', ')
}
