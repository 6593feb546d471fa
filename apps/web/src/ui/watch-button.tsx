import type { Pool, TokenFigures } from '@dexfeed/client'
import { plainName } from '../format/plain-name.ts'
import { isWatched, toggleWatched, type Watched } from '../state/watch-list.ts'
import { poolText } from './links.tsx'

export function TokenWatchButton({ token }: { token: Pick<TokenFigures, 'network' | 'address' | 'symbol'> }) {
  const { network, address, symbol } = token
  return <WatchButton item={{ kind: 'token', network, address }} name={plainName(symbol) ?? address} />
}

export function PoolWatchButton({ pool }: { pool: Pick<Pool, 'network' | 'address' | 'tokens' | 'base_token'> }) {
  const { network, address, tokens, base_token: base } = pool
  return <WatchButton item={{ kind: 'pool', network, address }} name={`${poolText(tokens, base)} ${address}`} />
}

/** A star that adds a token or pool to the watch list, or removes it. */
function WatchButton({ item, name }: { item: Watched; name: string }) {
  return (
    <button
      type="button"
      class="star"
      aria-pressed={isWatched(item)}
      aria-label={`Watch ${name}`}
      title="Keep in the watch list of this browser"
      onClick={() => toggleWatched(item)}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="m10 2.500 2.300 4.900 5.300.7-3.900 3.700 1 5.300-4.700-2.600-4.700 2.600 1-5.300L2.400 8.100l5.300-.7z" />
      </svg>
    </button>
  )
}
