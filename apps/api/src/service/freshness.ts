import type { NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

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

export function indexedBlocks(networks: readonly Headed[]): string {
  return networks.flatMap(({ network, head }) => (head === null ? [] : [`${network}=${head.number}`])).join(', ')
}
