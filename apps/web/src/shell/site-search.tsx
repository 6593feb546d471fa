import type { Pool, TokenFigures } from '@dexfeed/client'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../data/api.ts'
import { NETWORKS } from '../format/networks.ts'
import { shortHex } from '../format/short-hex.ts'
import { go } from '../state/place.ts'
import { NetworkBadge } from '../ui/badge.tsx'
import { Usd } from '../ui/figures.tsx'
import { PoolMark, poolPath, tokenPath } from '../ui/links.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { TokenOption } from '../ui/token-option.tsx'

const TOKENS = 6
const POOLS = 4
const ACCOUNT = /^0x[0-9a-f]{40}$/i
const HASH = /^0x[0-9a-f]{64}$/i

type Found =
  | { kind: 'token'; token: TokenFigures }
  | { kind: 'pool'; pool: Pool }
  | { kind: 'page'; text: string; id: string; href: string }

/** Finds tokens, pools, traders and transactions, from every page. `/` moves the focus here. */
export function SiteSearch() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const onChoose = (choice: Found | string) => {
    if (typeof choice === 'string') return
    field.current?.blur()
    go(hrefOf(choice))
  }
  return (
    <search class="site-search">
      <SearchBox
        {...{ field, onChoose, find }}
        label="Search tokens, pools, traders and transactions"
        placeholder="Search ( / )"
        scope="site"
        shown=""
        keyOf={hrefOf}
        empty="Nothing is found."
      >
        {(found) => <FoundOption found={found} />}
      </SearchBox>
    </search>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea')
}

async function find(q: string, signal: AbortSignal): Promise<Found[]> {
  const { tokens, pools } = await api.call('search', { q, limit: String(TOKENS) }, { signal })
  const found: Found[] = [
    ...tokens.map((token): Found => ({ kind: 'token', token })),
    ...pools.slice(0, POOLS).map((pool): Found => ({ kind: 'pool', pool })),
  ]
  if (ACCOUNT.test(q)) found.push({ kind: 'page', text: 'Trades of the account', id: q, href: `/trader/${q}` })
  if (!HASH.test(q)) return found
  const explained = Object.entries(NETWORKS).map(([network, { label }]): Found => {
    return {
      kind: 'page',
      text: `Explain the transaction on ${label}`,
      id: q,
      href: `/explain?network=${network}&tx=${q}`,
    }
  })
  return [...found, ...explained]
}

function hrefOf(found: Found): string {
  if (found.kind === 'page') return found.href
  if (found.kind === 'pool') return poolPath(found.pool.network, found.pool.address)
  return tokenPath(found.token.network, found.token.address)
}

function FoundOption({ found }: { found: Found }) {
  if (found.kind === 'token') return <TokenOption token={found.token} withNetwork />
  if (found.kind === 'page') {
    return (
      <>
        <span>{found.text}</span>
        <code class="option-note">{shortHex(found.id)}</code>
      </>
    )
  }
  const { network, tokens, base_token: base, protocol, volume_24h_usd: volume } = found.pool
  return (
    <>
      <PoolMark tokens={tokens} base={base} />
      <span class="option-note">
        <NetworkBadge network={network} /> {protocol}
      </span>
      <Usd value={volume} />
    </>
  )
}
