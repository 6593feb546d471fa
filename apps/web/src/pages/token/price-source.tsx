import type { TokenPrice } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import type { NetworkName } from '../../format/networks.ts'
import { shortHex } from '../../format/short-hex.ts'
import { durationText } from '../../format/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Price, Usd } from '../../ui/figures.tsx'
import { poolPath } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const REFRESH_MS = 10_000

const SOURCES: Readonly<Record<NonNullable<TokenPrice['source']>, string>> = {
  reference: 'Its reference pools: it is one of the tokens that set prices.',
  market: 'The market: what selling a little of it brings now, along this route.',
  trades: 'Trades: the median of its pools, by the trades of two days.',
}

const FLAGS: Readonly<Record<TokenPrice['flags'][number], string>> = {
  thin: 'Less than $1,000 can be sold for 2 % less than the price.',
  unproven: 'No receipts show that it can be moved whole.',
  short: 'It arrived short in transfers of the last week: it may take a tax.',
  depegged: 'It, or the end of its route, is a stablecoin off its peg.',
  old: 'A reference price is old.',
  differs: 'Trades say another price, by more than a tenth.',
  partial: 'Some pools are not read yet.',
  'unlisted-route': 'The route passes through a token that is not on the curated list.',
  unweighted: 'The 24 hours before do not weigh its pools: a part is not indexed, or it is young.',
}

/** Shows where a token's USD price comes from, how much can be sold at that price, and reasons to doubt it. */
export function PriceSource({ network, token }: { network: NetworkName; token: string }) {
  const { state, reload } = useResource(
    `price ${network} ${token}`,
    (signal) => api.call('getPrices', { network, tokens: token }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  return (
    <Card title="Where the price comes from">
      <Loaded {...{ state, reload }} what="The price" skeleton={<Skeleton lines={4} />}>
        {({ prices }) => <Source network={network} price={prices[0]} />}
      </Loaded>
    </Card>
  )
}

function Source({ network, price }: { network: NetworkName; price: TokenPrice | undefined }) {
  if (price === undefined) return null
  const { source, route, depth_usd: depth, age_s: age, flags } = price
  return (
    <dl class="facts padded">
      <Fact name="Price now">
        <Price value={price.price_usd} digits={8} />
      </Fact>
      <Fact name="Source">{source === null ? 'No price is known.' : SOURCES[source]}</Fact>
      {route.length > 0 && (
        <Fact name="Route">
          {route.map(({ pool }, at) => (
            <span key={pool}>
              {at > 0 && ' → '}
              <a href={poolPath(network, pool)}>{shortHex(pool)}</a>
            </span>
          ))}
        </Fact>
      )}
      <Fact name="Depth at 2 %">
        <Usd value={depth} />
      </Fact>
      <Fact name="Age">{age === null ? '–' : durationText(age)}</Fact>
      {flags.map((flag) => (
        <Fact key={flag} name={<Badge tone="warning">{flag}</Badge>}>
          {FLAGS[flag]}
        </Fact>
      ))}
    </dl>
  )
}
