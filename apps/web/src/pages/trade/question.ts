import { FIRST_NETWORK, NETWORKS, type NetworkName, networkOf } from '../../format/networks.ts'

export interface Question {
  network: NetworkName
  sell: string
  buy: string
  amount: string
  side: 'in' | 'out'
}

export function questionOf(search: URLSearchParams): Question {
  const network = networkOf(search.get('network')) ?? FIRST_NETWORK
  return {
    network,
    sell: search.get('sell') ?? NETWORKS[network].coin,
    buy: search.get('buy') ?? NETWORKS[network].money,
    amount: search.get('amount') ?? '1',
    side: search.get('side') === 'out' ? 'out' : 'in',
  }
}
