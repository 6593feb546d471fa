import type { NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** The last indexed block of a network; null before the first. */
interface Headed {
  network: NetworkName
  head: IndexedNetwork['head']
}

/** Returns whether the age of the indexed head is at most `maxAgeS`. Times in seconds. */
export function isFresh({ head }: Headed, now: number, maxAgeS: number): boolean {
  return head !== null && now - head.timestamp <= maxAgeS
}

/** Returns the last second at which the head is fresh; minus infinity without a head. */
export function freshUntil({ head }: Headed, maxAgeS: number): number {
  return head === null ? Number.NEGATIVE_INFINITY : head.timestamp + maxAgeS
}

/** Returns the expected networks that the database does not have. */
export function missingNetworks(expected: readonly NetworkName[], networks: readonly Headed[]): NetworkName[] {
  return expected.filter((name) => networks.every(({ network }) => network !== name))
}

/** Returns the value of the header `X-Indexed-Block`. */
export function indexedBlocks(networks: readonly Headed[]): string {
  return networks.flatMap(({ network, head }) => (head === null ? [] : [`${network}=${head.number}`])).join(', ')
}
