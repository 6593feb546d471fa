import type { AmountQuote } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { decimalText, percentText } from '../../format/decimal.ts'
import type { NetworkName } from '../../format/networks.ts'
import { shortHex } from '../../format/short-hex.ts'
import { poolPath, tokenPath, tokenText } from '../../ui/links.tsx'

export function RouteView({ quote }: { quote: AmountQuote }) {
  const { network, parts, sell_token: sell, buy_token: buy } = quote
  const between = [...new Set(parts.flatMap(({ hops }) => hops.slice(0, -1).map(({ token_out }) => token_out)))]
  const names = useSymbols(network, between)
  if (parts.length === 0) return <p>The coin and its wrapper are exchanged one for one, without a pool.</p>
  return (
    <ol class="route" aria-label="Route">
      {parts.map(({ share, hops }, at) => (
        <li key={at} class="route-part">
          <span class="route-share">
            {decimalText(percentText(share), 1)} %<i style={{ width: `${percentText(share)}%` }} aria-hidden="true" />
          </span>
          <a class="stop" href={tokenPath(network, sell.address)}>
            <bdi>{tokenText(sell)}</bdi>
          </a>
          {hops.map(({ pool, protocol, token_out: token }, index) => (
            <span key={pool} class="hop">
              <a href={poolPath(network, pool)}>{protocol ?? shortHex(pool)}</a>
              <span class="stop">
                <a href={tokenPath(network, token)}>
                  <bdi>{index === hops.length - 1 ? tokenText(buy) : (names.get(token) ?? shortHex(token))}</bdi>
                </a>
              </span>
            </span>
          ))}
        </li>
      ))}
    </ol>
  )
}

function useSymbols(network: NetworkName, addresses: readonly string[]): ReadonlyMap<string, string> {
  const { state } = useResource(
    addresses.length === 0 ? null : `symbols ${network} ${addresses.join()}`,
    async (signal) => {
      const read = (address: string) => api.call('getToken', { network, address }, { signal })
      const tokens = await Promise.all(addresses.map((address) => read(address).catch(() => null)))
      return new Map(addresses.map((address, at) => [address, tokenText({ symbol: null, ...tokens[at], address })]))
    },
    { keepPrevious: true },
  )
  return state.value.data ?? new Map()
}
