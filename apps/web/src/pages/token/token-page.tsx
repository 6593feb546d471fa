import type { TokenDetails } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { compactText, significantText, unitsText } from '../../format/decimal.ts'
import { NETWORKS, type NetworkName } from '../../format/networks.ts'
import { plainName } from '../../format/plain-name.ts'
import type { PathParts } from '../../state/place.ts'
import { useTitle } from '../../state/title.ts'
import { Ago } from '../../ui/ago.tsx'
import { NetworkBadge } from '../../ui/badge.tsx'
import { CandlesCard } from '../../ui/candles-card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Change, Price, UNKNOWN, Usd } from '../../ui/figures.tsx'
import { FlowCard } from '../../ui/flow-card.tsx'
import { ExplorerLink, TokenName, tokenText } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notices.tsx'
import { PoolsCard } from '../../ui/pools-card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TokenMark } from '../../ui/token-mark.tsx'
import { TradesCard } from '../../ui/trades-card.tsx'
import { TokenWatchButton } from '../../ui/watch-button.tsx'
import { PriceSource } from './price-source.tsx'

const REFRESH_MS = 15_000

export function TokenPage({ parts }: { parts: PathParts }) {
  const network = parts.network as NetworkName
  const { address = '' } = parts
  const { state, reload } = useResource(
    `token ${network} ${address}`,
    (signal) => api.call('getToken', { network, address }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  useTitle(state.value.data && titleOf(state.value.data))
  return (
    <Loaded {...{ state, reload }} what="The token" skeleton={<Skeleton lines={2} tall />}>
      {(token) => (
        <>
          <TokenHead token={token} />
          {!token.listed && (
            <Notice tone="warning" title="This token is not on the curated list.">
              Anyone can create a token with any name. Compare its address before you rely on it.
            </Notice>
          )}
          <div class="market">
            <CandlesCard network={network} token={{ address: token.address, symbol: tokenText(token) }} />
            <div class="column">
              <FlowCard of={token} />
              <PriceSource network={network} token={token.address} />
            </div>
          </div>
          <TradesCard network={network} token={token.address} />
          <PoolsCard
            title="Pools"
            note="by volume of the last 24 hours"
            of={{ order_by: 'volume', network, token: token.address }}
            empty="No pool of this token was traded in."
          />
        </>
      )}
    </Loaded>
  )
}

/** Sells the token, for the network's first stablecoin, or that one for the coin. */
function tradePath({ network, address, symbol }: TokenDetails): string {
  const { coin, money } = NETWORKS[network]
  return `/trade?network=${network}&sell=${address}&buy=${symbol === money ? coin : money}`
}

function titleOf(token: TokenDetails): string {
  const { price_usd: price } = token
  return `${tokenText(token)}${price === null ? '' : ` $${significantText(price, 6)}`}`
}

function TokenHead({ token }: { token: TokenDetails }) {
  const { network, address, symbol, listed } = token
  return (
    <>
      <h1>
        <TokenMark address={address} />
        <TokenName {...{ symbol, address, listed }} />
        <small>{plainName(token.name)}</small>
        <NetworkBadge network={network} />
        <TokenWatchButton token={token} />
      </h1>
      <p class="lead">
        <strong>
          <Price value={token.price_usd} />
        </strong>
        <Change percent={token.price_change_24h} />
        <a class="button button-main" href={tradePath(token)}>
          Trade
        </a>
        <ExplorerLink network={network} kind="address" id={address} />
        <CopyButton text={address} label="Copy address" />
      </p>
      <dl class="figures">
        <Fact name="Volume, 24 h">
          <Usd value={token.volume_24h_usd} />
        </Fact>
        <Fact name="Liquidity">
          <Usd value={token.liquidity_usd} />
        </Fact>
        <Fact name="Diluted value">
          <Usd value={token.fdv_usd} />
        </Fact>
        <Fact name="Total supply">
          <Supply token={token} />
        </Fact>
        <Fact name="Swaps, 24 h">
          {token.swaps_24h}
          {token.unpriced_swaps_24h > 0 && <small> ({token.unpriced_swaps_24h} without a value)</small>}
        </Fact>
        <Fact name="Last final trade">{token.last_trade === null ? UNKNOWN : <Ago iso={token.last_trade.time} />}</Fact>
      </dl>
    </>
  )
}

function Supply({ token: { total_supply: supply, decimals } }: { token: TokenDetails }) {
  if (supply === null || decimals === null) return UNKNOWN
  const whole = unitsText(supply, Number(decimals))
  return <span title={whole}>{compactText(whole)}</span>
}
