import { type TokenMetadata, tokenMetadataOf } from '@dexfeed/contract'
import { type Address, MINUTE, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { LRUCache, type Perf } from 'lru-cache'

export interface CatalogToken {
  /** For the native coin, the address of its wrapper, which pools trade. */
  address: Address
  native: boolean
  decimals: number
  metadata: TokenMetadata
}

type Known = CatalogToken | null

const MAX_SYMBOLS = 5_000

interface TokenReader {
  tokens: Reader['tokens']
  symbol: Reader['symbol']
}

export class TokenCatalog {
  readonly #reader: TokenReader
  readonly #tokens: LRUCache<string, { known: Known }>
  readonly #symbols: LRUCache<string, readonly Address[], { network: NetworkName; symbol: string }>

  constructor(reader: TokenReader, { maxTokens = 50_000, perf = performance as Perf } = {}) {
    this.#reader = reader
    const aMinute = { ttl: MINUTE, ttlResolution: 0, noDeleteOnStaleGet: true, perf }
    this.#tokens = new LRUCache({ max: maxTokens, ...aMinute })
    this.#symbols = new LRUCache({
      max: MAX_SYMBOLS,
      ...aMinute,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (_key, _stale, { context: { network, symbol } }) => {
        const addresses = await reader.symbol(network, symbol)
        // Unknown symbols are not cached, because clients could fill the cache with them.
        return addresses.length > 0 ? addresses : undefined
      },
    })
  }

  /** Returns undefined if the store does not know the token, null if its decimals are unknown. */
  async token(network: NetworkName, address: Address): Promise<Known | undefined> {
    const fresh = this.#tokens.get(`${network} ${address}`)
    return fresh === undefined ? (await this.tokens(network, [address])).get(address) : fresh.known
  }

  async tokens(network: NetworkName, addresses: Iterable<Address>): Promise<Map<Address, Known>> {
    const found = new Map<Address, Known>()
    const missing: Address[] = []
    for (const address of new Set(addresses)) {
      const fresh = this.#tokens.get(`${network} ${address}`)
      if (fresh === undefined) missing.push(address)
      else found.set(address, fresh.known)
    }
    if (missing.length === 0) return found
    try {
      for (const token of await this.#reader.tokens(network, missing)) {
        const known = this.#describe(network, token)
        this.#tokens.set(`${network} ${token.address}`, { known })
        found.set(token.address, known)
      }
    } catch (error) {
      // Token names rarely change, so an old value is better than an error.
      for (const address of missing) {
        const stale = this.#stale(network, address)
        if (stale === undefined) throw error
        found.set(address, stale.known)
      }
    }
    return found
  }

  async symbol(network: NetworkName, symbol: string): Promise<readonly Address[]> {
    const upper = symbol.toUpperCase()
    const key = `${network} ${upper}`
    try {
      return (await this.#symbols.fetch(key, { context: { network, symbol: upper } })) ?? []
    } catch (error) {
      const stale = this.#symbols.peek(key, { allowStale: true })
      if (stale === undefined) throw error
      return stale
    }
  }

  /** Reuses the value of an unchanged token, because checksums are slow. */
  #describe(network: NetworkName, token: Token): Known {
    const known = this.#stale(network, token.address)?.known
    return known && isSame(known, token) ? known : describeToken(token)
  }

  #stale(network: NetworkName, address: Address): { known: Known } | undefined {
    return this.#tokens.peek(`${network} ${address}`, { allowStale: true })
  }
}

export function nativeToken(network: NetworkName, wrapped: Address): CatalogToken {
  const { native } = NETWORKS[network]
  return { address: wrapped, native: true, decimals: native.decimals, metadata: tokenMetadataOf(native, null) }
}

function isSame({ metadata, decimals }: CatalogToken, token: Token): boolean {
  return decimals === token.decimals && metadata.symbol === token.symbol && metadata.name === token.name
}

function describeToken({ address, name, symbol, decimals }: Token): Known {
  if (decimals === null) return null
  return { address, native: false, decimals, metadata: tokenMetadataOf({ name, symbol, decimals }, address) }
}
