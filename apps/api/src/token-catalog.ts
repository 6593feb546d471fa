import { type TokenMetadata, tokenJsonPrefix, tokenMetadataOf } from '@dexfeed/contract'
import { type Address, NETWORK_NAMES, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { ExpiringCache } from './expiring-cache.ts'

/** A token that can be stated: its decimals are known. */
export interface CatalogToken {
  /** For the coin itself: the wrapped coin's, by which pools trade it. */
  address: Address
  native: boolean
  decimals: number
  metadata: TokenMetadata
  /** The metadata as the beginning of a JSON object that goes on behind it. */
  jsonPrefix: string
}

/** Null: the token is known, but not its decimals. */
type Known = CatalogToken | null

const MAX_AGE_MS = 60_000

/** Tokens and symbols by name, read from the store once a minute at most. */
export class TokenCatalog {
  private readonly reader: Pick<Reader, 'tokens' | 'symbol'>
  private readonly known: Record<NetworkName, ExpiringCache<Address, Known>>
  private readonly symbols: Record<NetworkName, ExpiringCache<string, Address[]>>

  constructor(reader: Pick<Reader, 'tokens' | 'symbol'>, { maxTokens = 50_000, now = Date.now } = {}) {
    this.reader = reader
    const caches = <K, V>(maxEntries: number) =>
      Object.fromEntries(
        NETWORK_NAMES.map((network) => [network, new ExpiringCache<K, V>({ maxEntries, maxAgeMs: MAX_AGE_MS, now })]),
      ) as Record<NetworkName, ExpiringCache<K, V>>
    this.known = caches(maxTokens)
    this.symbols = caches(5_000)
  }

  /** Undefined for a token that the store does not know, null for one whose decimals are unknown. */
  async token(network: NetworkName, address: Address): Promise<Known | undefined> {
    return (await this.tokens(network, [address])).get(address)
  }

  /** Those of the tokens that the store knows. */
  async tokens(network: NetworkName, addresses: Iterable<Address>): Promise<Map<Address, Known>> {
    const found = new Map<Address, Known>()
    const missing: Address[] = []
    for (const address of new Set(addresses)) {
      const known = this.known[network].fresh(address)
      if (known === undefined) missing.push(address)
      else found.set(address, known)
    }
    if (missing.length === 0) return found
    try {
      for (const token of await this.reader.tokens(network, missing)) {
        const known = this.describe(network, token)
        this.known[network].set(token.address, known)
        found.set(token.address, known)
      }
    } catch (error) {
      const stale = missing.map((address) => [address, this.known[network].any(address)] as const)
      // What a token is called hardly changes: the old answer is better than none.
      for (const [address, known] of stale) {
        if (known === undefined) throw error
        found.set(address, known)
      }
    }
    return found
  }

  /** What is known already as long as nothing about the token has changed: checksums take their time. */
  private describe(network: NetworkName, token: Token): Known {
    const known = this.known[network].any(token.address)
    return known && isSame(known, token) ? known : describe(token)
  }

  /** The tokens that a symbol of the curated list stands for, in any case. */
  async symbol(network: NetworkName, symbol: string): Promise<readonly Address[]> {
    const cache = this.symbols[network]
    const upper = symbol.toUpperCase()
    const fresh = cache.fresh(upper)
    if (fresh !== undefined) return fresh
    try {
      const addresses = await this.reader.symbol(network, upper)
      // Unknown symbols are not kept: callers could fill the cache with them.
      if (addresses.length > 0) cache.set(upper, addresses)
      else cache.delete(upper)
      return addresses
    } catch (error) {
      const stale = cache.any(upper)
      if (stale === undefined) throw error
      return stale
    }
  }
}

/** The coin of a network; pools trade it as `wrapped`. */
export function nativeToken(network: NetworkName, wrapped: Address): CatalogToken {
  const { native } = NETWORKS[network]
  return catalogToken(wrapped, true, native.decimals, tokenMetadataOf(native, null))
}

function isSame({ metadata, decimals }: CatalogToken, token: Token): boolean {
  return decimals === token.decimals && metadata.symbol === token.symbol && metadata.name === token.name
}

function describe({ address, name, symbol, decimals }: Token): Known {
  if (decimals === null) return null
  return catalogToken(address, false, decimals, tokenMetadataOf({ name, symbol, decimals }, address))
}

function catalogToken(address: Address, native: boolean, decimals: number, metadata: TokenMetadata): CatalogToken {
  return { address, native, decimals, metadata, jsonPrefix: tokenJsonPrefix(metadata) }
}
