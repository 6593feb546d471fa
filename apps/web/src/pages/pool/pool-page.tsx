import type { Pool } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { significantText } from '../../format/decimal.ts'
import { NETWORKS, type NetworkName } from '../../format/networks.ts'
import type { PathParts } from '../../state/place.ts'
import { useTitle } from '../../state/title.ts'
import { Ago } from '../../ui/ago.tsx'
import { NetworkBadge } from '../../ui/badge.tsx'
import { CandlesCard } from '../../ui/candles-card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Amount, Change, feeText, Price, UNKNOWN, Usd } from '../../ui/figures.tsx'
import { FlowCard } from '../../ui/flow-card.tsx'
import { baseFirst, ExplorerLink, PoolMark, poolText, TokenLink, tokenText } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notices.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PoolWatchButton } from '../../ui/watch-button.tsx'
import { LiquidityCard } from './liquidity-card.tsx'
import { PoolTradesCard } from './pool-trades-card.tsx'
import { WashNotice } from './wash-notice.tsx'

const REFRESH_MS = 15_000

const NOT_QUOTED: Readonly<Record<NonNullable<Pool['not_quoted']>, string>> = {
  'unknown-code': 'No known factory deployed it, so it might refuse your swap.',
  'unknown-rate': 'A contract that its maker chose sets a rate of it.',
  hooks: 'Its hooks may change or refuse swaps.',
}

/** Includes `0x`. */
const ADDRESS_LENGTH = 42

export function PoolPage({ parts }: { parts: PathParts }) {
  const network = parts.network as NetworkName
  const { address = '' } = parts
  const { state, reload } = useResource(
    `pool ${network} ${address}`,
    (signal) => api.call('getPool', { network, address }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  useTitle(state.value.data && titleOf(state.value.data))
  return (
    <Loaded {...{ state, reload }} what="The pool" skeleton={<Skeleton lines={2} tall />}>
      {(pool) => (
        <>
          <h1>
            <PoolMark tokens={pool.tokens} base={pool.base_token} />
            <NetworkBadge network={network} />
            <PoolWatchButton pool={pool} />
          </h1>
          <PoolFacts pool={pool} />
          <WashNotice pool={pool} />
          {pool.not_quoted !== null && (
            <Notice title="Quotes do not use this pool.">{NOT_QUOTED[pool.not_quoted]}</Notice>
          )}
          {pool.state === null && pool.not_quoted === null && (
            <Notice tone="warning" title="The state of this pool is not read yet.">
              Quotes do not use it until then.
            </Notice>
          )}
          {pool.hooks !== null && (
            <Notice title="A contract (hook) may change the amounts and fees of every swap.">
              <ExplorerLink network={network} kind="address" id={pool.hooks} />
            </Notice>
          )}
          <div class="market">
            <CandlesCard network={network} {...chartOf(pool)} />
            <FlowCard of={pool} />
          </div>
          <PoolTradesCard pool={pool} />
          <LiquidityCard pool={pool} />
        </>
      )}
    </Loaded>
  )
}

function titleOf({ tokens, base_token: base, price_usd: price }: Pool): string {
  return `${poolText(tokens, base)}${price === null ? '' : ` $${significantText(price, 6)}`}`
}

/** A pool of two tokens can be charted in either of them. */
function chartOf({ address, tokens, base_token: base }: Pool) {
  const [token, quote, ...others] = baseFirst(tokens, base).map((each) => ({
    address: each.address,
    symbol: tokenText(each),
  }))
  if (token === undefined || quote === undefined) throw new Error('a pool has at least two tokens')
  return { token, ...(others.length === 0 && { pair: { pool: address, quote } }) }
}

/** Buys the base token for the other token, over the best route. */
function TradeLink({ pool: { network, tokens, base_token: base } }: { pool: Pool }) {
  const quote = tokens.find(({ address }) => address !== base)
  if (quote === undefined) return null
  const sold = quote.address === '' ? NETWORKS[network].coin : quote.address
  return (
    <a class="button button-main" href={`/trade?network=${network}&sell=${sold}&buy=${base}`}>
      Trade
    </a>
  )
}

/** Says what one base token costs in the other token. */
function PairPrice({ pool: { tokens, base_token: base, price_quote: price } }: { pool: Pool }) {
  const [priced, quote, ...others] = baseFirst(tokens, base)
  if (price === null || priced === undefined || quote === undefined || others.length > 0) return null
  return (
    <span>
      1 <bdi>{tokenText(priced)}</bdi> = <Amount value={price} /> <bdi>{tokenText(quote)}</bdi>
    </span>
  )
}

function PoolFacts({ pool }: { pool: Pool }) {
  const { network } = pool
  const contract = pool.address.slice(0, ADDRESS_LENGTH)
  return (
    <>
      <p class="lead">
        <strong>
          <Price value={pool.price_usd} />
        </strong>
        <Change percent={pool.price_change_24h} />
        <PairPrice pool={pool} />
        <TradeLink pool={pool} />
        <ExplorerLink network={network} kind="address" id={contract} />
        <CopyButton text={pool.address} label="Copy address" />
      </p>
      <dl class="figures">
        <Fact name="Volume, 24 h">
          <Usd value={pool.volume_24h_usd} />
        </Fact>
        <Fact name="Swaps, 24 h">{pool.swaps_24h}</Fact>
        <Fact name="Created">{pool.created_at === null ? UNKNOWN : <Ago iso={pool.created_at} />}</Fact>
        <Fact name="Liquidity">
          <Usd value={pool.liquidity_usd} />
        </Fact>
        <Fact name="Fee">{pool.fee_millionths === null ? 'varies' : feeText(pool.fee_millionths)}</Fact>
        <Fact name="DEX">{pool.protocol}</Fact>
        <Fact name="Tokens">
          <span class="names">
            {baseFirst(pool.tokens, pool.base_token).map(({ symbol, address }) => (
              <TokenLink key={address} {...{ network, symbol, address }} />
            ))}
          </span>
        </Fact>
      </dl>
    </>
  )
}
