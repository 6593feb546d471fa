import type { Pool } from '@dexfeed/client'
import type { ComponentChildren } from 'preact'
import { explorerUrl, NETWORKS, type NetworkName } from '../format/networks.ts'
import { plainName } from '../format/plain-name.ts'
import { shortHex } from '../format/short-hex.ts'
import { UNKNOWN } from './figures.tsx'
import { TokenMark } from './token-mark.tsx'

function OutLink({ href, title, children }: { href: string; title: string; children: ComponentChildren }) {
  return (
    <a class="out" href={href} target="_blank" rel="noopener noreferrer" title={title}>
      {children}
    </a>
  )
}

interface ExplorerLinkProps {
  network: NetworkName
  kind: 'tx' | 'address' | 'block'
  id: string
}

/** Links a shortened hash, address or number to a block explorer. */
export function ExplorerLink({ network, kind, id }: ExplorerLinkProps) {
  return (
    <OutLink href={explorerUrl(network, kind, id)} title={id}>
      <code>{kind === 'block' ? id : shortHex(id)}</code>
      <span class="sr-only"> in the block explorer of {NETWORKS[network].label}</span>
    </OutLink>
  )
}

interface TokenNameProps {
  symbol: string | null
  /** Empty for the network's coin. */
  address: string
  /** Whether the curated list has the token; undefined if that is unknown here. */
  listed?: boolean
}

/** Anyone can choose a symbol, so a token that is not on the curated list is shown with its address. */
export function TokenName({ symbol, address, listed }: TokenNameProps) {
  const name = plainName(symbol)
  return (
    <span class="token">
      <bdi>{tokenText({ symbol, address })}</bdi>
      {listed === true && (
        <svg class="verified" viewBox="0 0 16 16" role="img" aria-label="on the curated list">
          <title>On the curated list</title>
          <path d="M8 0 10 2l2.800-.2L13 4.600 15.200 6.400 14 9l.6 2.800-2.600 1L10.500 15 8 13.800 5.500 15 4 12.800l-2.600-1L2 9 .8 6.400 3 4.600l.2-2.800L6 2z" />
          <path class="check" d="m5 8 2.200 2.200L11.200 6" />
        </svg>
      )}
      {listed === false && name !== null && <code>{shortHex(address)}</code>}
    </span>
  )
}

/** Returns a token's symbol, or what stands for it. */
export function tokenText({ symbol, address }: Pick<TokenNameProps, 'symbol' | 'address'>): string {
  return plainName(symbol) ?? (address === '' ? 'coin' : shortHex(address))
}

/** Returns the path of a token's page. The coin shares its wrapper's page, under its own symbol. */
export function tokenPath(network: NetworkName, address: string): string {
  return `/token/${network}/${address === '' ? NETWORKS[network].coin : address}`
}

/** Links a token's mark and name to its page. */
export function TokenLink({ network, ...token }: TokenNameProps & { network: NetworkName }) {
  return (
    <a class="named" href={tokenPath(network, token.address)}>
      <TokenMark address={token.address} />
      <TokenName {...token} />
    </a>
  )
}

/** Links the account that signed a trade to the page of its trades. */
export function TraderLink({ network, trader }: { network: NetworkName; trader: string | null }) {
  if (trader === null) return UNKNOWN
  return (
    <a class="out" href={`/trader/${trader}?network=${network}`} title={trader}>
      <code>{shortHex(trader)}</code>
      <span class="sr-only">: trades of the trader</span>
    </a>
  )
}

/** Links a transaction to the block explorer and to its explanation. */
export function TransactionLinks({ network, hash }: { network: NetworkName; hash: string }) {
  return (
    <>
      <ExplorerLink network={network} kind="tx" id={hash} /> <a href={`/explain?network=${network}&tx=${hash}`}>why</a>
    </>
  )
}

/** A pool's marks and the names of its tokens. */
export function PoolMark({ tokens, base }: PoolNameProps) {
  return (
    <span class="named">
      <span class="marks">
        {baseFirst(tokens, base)
          .slice(0, 2)
          .map(({ address }) => (
            <TokenMark key={address} address={address} />
          ))}
      </span>
      <span>
        <PoolName {...{ tokens, base }} />
      </span>
    </span>
  )
}

/** Links a pool's marks and names to its page. */
export function PoolLink({ pool }: { pool: Pick<Pool, 'network' | 'address' | 'tokens' | 'base_token'> }) {
  return (
    <a href={poolPath(pool.network, pool.address)}>
      <PoolMark tokens={pool.tokens} base={pool.base_token} />
    </a>
  )
}

export function poolPath(network: NetworkName, address: string): string {
  return `/pool/${network}/${address}`
}

interface PoolNameProps {
  tokens: readonly { symbol: string | null; address: string }[]
  /** The token that is priced: it comes first, before what it is priced in. */
  base: string
}

function PoolName({ tokens, base }: PoolNameProps) {
  return (
    <>
      {baseFirst(tokens, base).map(({ symbol, address }, at) => (
        <span key={address}>
          {at > 0 && ' / '}
          <bdi>{tokenText({ symbol, address })}</bdi>
        </span>
      ))}
    </>
  )
}

export function baseFirst<Token extends { address: string }>(tokens: readonly Token[], base: string): Token[] {
  return [...tokens].sort((one, other) => Number(other.address === base) - Number(one.address === base))
}

/** Returns the name of a pool for titles and labels. */
export function poolText(tokens: PoolNameProps['tokens'], base: string): string {
  return baseFirst(tokens, base).map(tokenText).join(' / ')
}
