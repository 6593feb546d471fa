import { api } from '../data/api.ts'
import { useResource } from '../data/use-resource.ts'
import type { NetworkName } from '../format/networks.ts'
import { plainName } from '../format/plain-name.ts'
import { shortHex } from '../format/short-hex.ts'
import { SearchBox } from './search-box.tsx'
import { TokenOption } from './token-option.tsx'

const OPTIONS = 8

interface TokenSearchProps {
  label: string
  network: NetworkName
  /** A symbol or an address. */
  value: string
  onChoose: (value: string) => void
}

/** Finds tokens of a network by symbol, name or address. */
export function TokenSearch({ label, network, value, onChoose }: TokenSearchProps) {
  const find = async (q: string, signal: AbortSignal) =>
    (await api.call('search', { q, network, limit: String(OPTIONS) }, { signal })).tokens
  return (
    <SearchBox
      {...{ label, find }}
      scope={`tokens of ${network}`}
      shown={useTokenText(network, value)}
      keyOf={({ address }) => address}
      empty="No token is found."
      onChoose={(choice) => onChoose(typeof choice === 'string' ? choice : choice.address)}
    >
      {(token) => <TokenOption token={token} />}
    </SearchBox>
  )
}

function useTokenText(network: NetworkName, value: string): string {
  const isAddress = value.startsWith('0x')
  const { state } = useResource(isAddress ? `token ${network} ${value}` : null, (signal) =>
    api.call('getToken', { network, address: value }, { signal }),
  )
  if (!isAddress) return value
  return plainName(state.value.data?.symbol ?? null) ?? shortHex(value)
}
