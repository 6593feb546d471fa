import type { NetworkName } from '@dexfeed/dex'
import { LRUCache } from 'lru-cache'
import type { CachedResponse } from '../http/cached-response.ts'
import type { LiveMarket } from './live-market.ts'
import type { Markets } from './quote-desk.ts'

const MAX_RESPONSES = 10_000
/** Longer requests are unusual, and would take the place of many. */
const MAX_KEY_LENGTH = 256
/** A token's symbol and name are read again after this many seconds. */
const LIFE_S = 60

interface CachedQuote {
  response: CachedResponse
  network: NetworkName
  /** Weak, because after a reload the old market must not stay in memory. */
  live: WeakRef<LiveMarket>
  /** In seconds: valid from `since` up to `until`. */
  since: number
  until: number
}

/** For requests that came only once; a power of two. */
const SLOTS = 2 ** 14

/**
 * Caches quotes by request while their market is unchanged. Stores only repeated requests: most never repeat, and
 * storing a response costs the garbage collector more than computing the quote again.
 */
export class QuoteCache {
  readonly #feed: Markets
  readonly #lastHashes = new Int32Array(SLOTS)
  readonly #known = new LRUCache<string, CachedQuote>({ max: MAX_RESPONSES })

  constructor(feed: Markets) {
    this.#feed = feed
  }

  /** @param now seconds */
  get(url: string, now: number): CachedResponse | undefined {
    const known = this.#known.get(url)
    if (known === undefined || now < known.since || now > known.until) return undefined
    const live = known.live.deref()
    if (live === undefined || this.#feed.market(known.network) !== live) return undefined
    if (this.#feed.changing(known.network) !== null) return undefined
    return known.response
  }

  /** @param until seconds */
  keep(
    url: string,
    { response, live, now, until }: { response: CachedResponse; live: LiveMarket; now: number; until: number },
  ): void {
    if (url.length > MAX_KEY_LENGTH || !this.#isRepeated(url)) return
    this.#known.set(url, {
      response,
      live: new WeakRef(live),
      network: live.network.network,
      since: now,
      until: Math.min(until, now + LIFE_S),
    })
  }

  #isRepeated(url: string): boolean {
    const hash = hashOf(url)
    const slot = hash & (SLOTS - 1)
    if (this.#lastHashes[slot] === hash) return true
    this.#lastHashes[slot] = hash
    return false
  }
}

/** FNV-1a, 32 bits. A collision at worst stores a request when it first comes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
