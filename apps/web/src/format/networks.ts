import type { NetworkStatus } from '@dexfeed/client'

export type NetworkName = NetworkStatus['network']

interface Network {
  label: string
  coin: string
  money: string
  explorer: string
}

/** How the page shows each network. Add new networks here. */
export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  eth: { label: 'Ethereum', coin: 'ETH', money: 'USDC', explorer: 'https://etherscan.io' },
  bsc: { label: 'BNB Chain', coin: 'BNB', money: 'USDT', explorer: 'https://bscscan.com' },
  polygon: { label: 'Polygon', coin: 'POL', money: 'USDC', explorer: 'https://polygonscan.com' },
}

export function networkOf(name: string | undefined | null): NetworkName | null {
  return name != null && Object.hasOwn(NETWORKS, name) ? (name as NetworkName) : null
}

export const FIRST_NETWORK = Object.keys(NETWORKS)[0] as NetworkName

export function explorerUrl(network: NetworkName, kind: 'tx' | 'address' | 'block', id: string): string {
  return `${NETWORKS[network].explorer}/${kind}/${encodeURIComponent(id)}`
}
