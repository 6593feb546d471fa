import type { ComponentChildren } from 'preact'
import { explorerUrl, NETWORKS, type NetworkName } from '../format/networks.ts'
import { plainName } from '../format/plain-name.ts'
import { shortHex } from '../format/short-hex.ts'

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
      <bdi>{name ?? shortHex(address)}</bdi>
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

/** Returns the path of a token's page. The coin shares its wrapper's page, so it has none. */
export function tokenPath(network: NetworkName, address: string): string {
  return `/token/${network}/${address}`
}

export function poolPath(network: NetworkName, address: string): string {
  return `/pool/${network}/${address}`
}

export function PoolName({ tokens }: { tokens: readonly { symbol: string | null; address: string }[] }) {
  return (
    <>
      {tokens.map(({ symbol, address }, at) => (
        <span key={address}>
          {at > 0 && ' / '}
          <bdi>{plainName(symbol) ?? (address === '' ? 'coin' : shortHex(address))}</bdi>
        </span>
      ))}
    </>
  )
}
