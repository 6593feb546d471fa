import type { NetworkName } from '@dexfeed/dex'
import { LRUCache } from 'lru-cache'
import type { Answer } from '../http/answer.ts'
import type { LiveMarket } from './live-market.ts'
import type { MarketFeed } from './market-feed.ts'

/** Answers that are kept, of the requests that came last. */
const MOST = 10_000
/** Longer requests are written in an odd way, and would take the place of many. */
const LONGEST_KEY = 256
/** What a token is called is read again after so long. */
const LIFE_S = 60

interface KnownAnswer {
  answer: Answer
  network: NetworkName
  /** The market that it was worked out from; weak, since one that is read anew must not stand beside the old one. */
  live: WeakRef<LiveMarket>
  /** Seconds: from then on, and up to then. */
  since: number
  until: number
}

/** Places for requests that came once, a power of two. */
const PLACES = 2 ** 14

/**
 * Quotes that were given, by their requests: each holds while the market is the one that it was made from. Only what is
 * asked again is kept: most is not, and whatever is kept for a while costs the garbage collector more than the quote.
 */
export class QuoteAnswers {
  readonly #feed: Pick<MarketFeed, 'market' | 'changing'>
  /** Which request came last of those that share a place. */
  readonly #cameOnce = new Int32Array(PLACES)
  readonly #known = new LRUCache<string, KnownAnswer>({ max: MOST })

  constructor(feed: Pick<MarketFeed, 'market' | 'changing'>) {
    this.#feed = feed
  }

  /** The answer to a request, by its whole URL, if it holds now (seconds). */
  get(url: string, now: number): Answer | undefined {
    const known = this.#known.get(url)
    if (known === undefined || now < known.since || now > known.until) return undefined
    const live = known.live.deref()
    if (live === undefined || this.#feed.market(known.network) !== live) return undefined
    if (this.#feed.changing(known.network) !== null) return undefined
    return known.answer
  }

  /** @param until seconds: how long the state that it was made from is fresh enough */
  keep(url: string, known: { answer: Answer; live: LiveMarket; now: number; until: number }): void {
    if (url.length > LONGEST_KEY || !this.#isAskedAgain(url)) return
    const { answer, live, now } = known
    const until = Math.min(known.until, now + LIFE_S)
    this.#known.set(url, { answer, live: new WeakRef(live), network: live.network.network, since: now, until })
  }

  #isAskedAgain(url: string): boolean {
    const hash = hashOf(url)
    const place = hash & (PLACES - 1)
    if (this.#cameOnce[place] === hash) return true
    this.#cameOnce[place] = hash
    return false
  }
}

/** Two requests with one hash make nothing worse than that one of them is kept at once. FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
