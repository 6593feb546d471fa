import type { NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'
import { notIndexed } from '../http/http-failure.ts'

interface Headed {
  network: NetworkName
  head: IndexedNetwork['head']
}

export function isFresh({ head }: Headed, now: number, maxAgeS: number): boolean {
  return head !== null && now - head.timestamp <= maxAgeS
}

export function freshUntil({ head }: Headed, maxAgeS: number): number {
  return head === null ? Number.NEGATIVE_INFINITY : head.timestamp + maxAgeS
}

export function missingNetworks(expected: readonly NetworkName[], networks: readonly Headed[]): NetworkName[] {
  return expected.filter((name) => networks.every(({ network }) => network !== name))
}

/** Returns a network of the request. @throws HttpFailure 404 if it is not indexed */
export function indexedOf<Indexed extends { network: NetworkName }>(
  network: NetworkName,
  networks: readonly Indexed[],
): Indexed {
  const indexed = networks.find((indexed) => indexed.network === network)
  if (indexed !== undefined) return indexed
  throw notIndexed(network)
}

export function indexedBlocks(networks: readonly Headed[]): string {
  return networks.flatMap(({ network, head }) => (head === null ? [] : [`${network}=${head.number}`])).join(', ')
}
