import type { NetworkName } from '@dexfeed/dex'
import { LRUCache } from 'lru-cache'
import type { CachedResponse } from '../http/cached-response.ts'
import type { LiveMarket } from './live-market.ts'
import type { MarketFeed } from './market-feed.ts'

/** Number of stored responses; the least recently used one is dropped. */
const MOST = 10_000
/** Longer requests are unusual, and would take the place of many. */
const LONGEST_KEY = 256
/** Seconds after which a token's symbol and name are read again. */
const LIFE_S = 60

interface CachedQuote {
  response: CachedResponse
  network: NetworkName
  /** The market of this quote. Weak: after a reload the old market must not stay in memory. */
  live: WeakRef<LiveMarket>
  /** Seconds: valid from `since` up to `until`. */
  since: number
  until: number
}

/** Slots for requests that came once, a power of two. */
const PLACES = 2 ** 14

/**
 * Stores quotes by their requests. Each is valid while its market is unchanged. Only repeated requests are stored: most
 * never repeat, and storing a response costs the garbage collector more than computing the quote again.
 */
export class QuoteCache {
  readonly #feed: Pick<MarketFeed, 'market' | 'changing'>
  /** The hash of the last request in each slot. */
  readonly #lastHashes = new Int32Array(PLACES)
  readonly #known = new LRUCache<string, CachedQuote>({ max: MOST })

  constructor(feed: Pick<MarketFeed, 'market' | 'changing'>) {
    this.#feed = feed
  }

  /** Returns the stored response to a request, by its whole URL, if it is valid now (seconds). */
  get(url: string, now: number): CachedResponse | undefined {
    const known = this.#known.get(url)
    if (known === undefined || now < known.since || now > known.until) return undefined
    const live = known.live.deref()
    if (live === undefined || this.#feed.market(known.network) !== live) return undefined
    if (this.#feed.changing(known.network) !== null) return undefined
    return known.response
  }

  /** @param until seconds: how long the state of this quote is fresh enough */
  keep(url: string, known: { response: CachedResponse; live: LiveMarket; now: number; until: number }): void {
    if (url.length > LONGEST_KEY || !this.#isRepeated(url)) return
    const { response, live, now } = known
    const until = Math.min(known.until, now + LIFE_S)
    this.#known.set(url, { response, live: new WeakRef(live), network: live.network.network, since: now, until })
  }

  #isRepeated(url: string): boolean {
    const hash = hashOf(url)
    const place = hash & (PLACES - 1)
    if (this.#lastHashes[place] === hash) return true
    this.#lastHashes[place] = hash
    return false
  }
}

/** If two requests have the same hash, one of them is stored too early, with no other effect. FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
