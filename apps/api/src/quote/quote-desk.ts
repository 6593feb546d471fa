import { MAX_WORK, type NetworkName, QuoteOverBudget, QuoteWork } from '@dexfeed/dex'
import { HttpFailure, notNow } from '../http/http-failure.ts'
import { Turns } from '../http/limits/turns.ts'
import { isFresh } from '../service/freshness.ts'
import type { LiveMarket } from './live-market.ts'
import type { MarketFeed } from './market-feed.ts'

export interface QuoteDeskOptions {
  feed: Pick<MarketFeed, 'market' | 'changing'>
  /** Pool state that is older than this gives no quote. */
  maxAgeS: number
  /** Returns the current time in seconds. */
  now: () => number
  /** Called for each quote that is aborted because it takes too much work. */
  onOverBudget?: () => void
}

/** How often work of several turns begins again because the market changed. */
const MOST_BEGINNINGS = 4

/**
 * Computes everything that needs the markets in memory: one piece at a time, clients in turn, because each piece blocks
 * the process. After some milliseconds other requests get their turn.
 */
export class QuoteDesk {
  readonly feed: QuoteDeskOptions['feed']
  readonly maxAgeS: number
  readonly now: () => number
  readonly #onOverBudget: (() => void) | undefined
  readonly #turns = new Turns()

  constructor({ feed, maxAgeS, now, onOverBudget }: QuoteDeskOptions) {
    this.feed = feed
    this.maxAgeS = maxAgeS
    this.now = now
    this.#onOverBudget = onOverBudget
  }

  /** @throws HttpFailure 404 if the network is not indexed, 503 if its market is not ready */
  market(network: NetworkName): LiveMarket {
    const live = this.feed.market(network)
    if (live === undefined) throw notNow(`the pools of ${network} are being loaded`)
    if (live === null) {
      throw new HttpFailure(404, `${network} is not indexed by this server`, {}, 'network_not_indexed')
    }
    // Before the first indexed block nothing is known about its tokens.
    if (live.network.start === null) throw notNow(`nothing of ${network} is indexed yet`, 5)
    return live
  }

  /** @throws HttpFailure 503 if the indexed head is too old */
  checkFresh({ network }: LiveMarket): void {
    if (isFresh(network, this.now(), this.maxAgeS)) return
    throw notNow(`the pool state of ${network.network} is too old for a quote`, 5)
  }

  /** Returns whether work could start immediately. */
  isFreeFor(network: NetworkName): boolean {
    return this.#turns.isFree && this.feed.changing(network) === null
  }

  /** Runs work when it is the client's turn and the market is as of one block; it gets whether it had to wait. */
  inTurn<T>(client: string, network: NetworkName, work: (hasWaited: boolean) => T): Promise<T> {
    return this.#turns.run(client, async (hasWaited) => {
      const isChanging = this.feed.changing(network) !== null
      for (let changing = this.feed.changing(network); changing !== null; changing = this.feed.changing(network)) {
        await changing
      }
      return work(hasWaited || isChanging)
    })
  }

  /**
   * Computes something of several pieces, each in a turn of its client, all in the same market. If the market changes
   * in between, all of them begin again, a few times.
   *
   * @param prepare gets the market before its first piece
   * @throws HttpFailure 503 if the market changes faster than that
   */
  async together<Item, T>(
    items: readonly Item[],
    { client, network, signal }: { client: string; network: NetworkName; signal: AbortSignal },
    { prepare, piece }: { prepare?: (live: LiveMarket) => Promise<void>; piece: (item: Item, live: LiveMarket) => T },
  ): Promise<{ live: LiveMarket; results: T[] }> {
    for (let beginning = 0; beginning < MOST_BEGINNINGS; beginning++) {
      const live = this.market(network)
      await prepare?.(live)
      const results: T[] = []
      for (const item of items) {
        signal.throwIfAborted()
        const isSame = await this.inTurn(client, network, () => {
          if (this.market(network) !== live) return false
          results.push(piece(item, live))
          return true
        })
        if (!isSame) break
      }
      if (results.length === items.length) return { live, results }
    }
    throw notNow(`the market of ${network} changes too fast for this many parts`)
  }

  /** @throws HttpFailure 503 if the quote takes more work than its budget; the work done so far helps the next one */
  withinBudget<T>(quote: (work: QuoteWork) => T, budget = MAX_WORK): T {
    try {
      return quote(new QuoteWork(budget))
    } catch (error) {
      if (!(error instanceof QuoteOverBudget)) throw error
      this.#onOverBudget?.()
      throw notNow('the best route between these tokens takes too much work to find')
    }
  }
}
