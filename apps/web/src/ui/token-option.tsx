import type { TokenFigures } from '@dexfeed/client'
import { plainName } from '../format/plain-name.ts'
import { NetworkBadge } from './badge.tsx'
import { Price } from './figures.tsx'
import { TokenName } from './links.tsx'
import { TokenMark } from './token-mark.tsx'

/** A token among the results of a search. */
export function TokenOption({ token, withNetwork = false }: { token: TokenFigures; withNetwork?: boolean }) {
  const { network, address, symbol, name, listed, price_usd: price } = token
  return (
    <>
      <span class="named">
        <TokenMark address={address} />
        <TokenName {...{ symbol, address, listed }} />
      </span>
      <span class="option-note">{withNetwork ? <NetworkBadge network={network} /> : plainName(name)}</span>
      <Price value={price} />
    </>
  )
}
