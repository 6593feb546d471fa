import type { NetworkStatus } from '@dexfeed/client'

export type NetworkName = NetworkStatus['network']

interface Network {
  label: string
  coin: string
  /** What the trade page buys at first. */
  money: string
  explorer: string
}

/** How the networks are shown. To show a further one in the page, add it here. */
export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  eth: { label: 'Ethereum', coin: 'ETH', money: 'USDC', explorer: 'https://etherscan.io' },
  bsc: { label: 'BNB Chain', coin: 'BNB', money: 'USDT', explorer: 'https://bscscan.com' },
  polygon: { label: 'Polygon', coin: 'POL', money: 'USDC', explorer: 'https://polygonscan.com' },
}

/** Returns the network of a name in the address bar; null without such a one. */
export function networkOf(name: string | undefined | null): NetworkName | null {
  return name != null && Object.hasOwn(NETWORKS, name) ? (name as NetworkName) : null
}

/** The network of an address bar without one. */
export const FIRST_NETWORK = Object.keys(NETWORKS)[0] as NetworkName

/** Returns the page of a block explorer. */
export function explorerUrl(network: NetworkName, kind: 'tx' | 'address' | 'block', id: string): string {
  return `${NETWORKS[network].explorer}/${kind}/${encodeURIComponent(id)}`
}
