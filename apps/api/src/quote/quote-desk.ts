import { MAX_WORK, type NetworkName, QuoteOverBudget, QuoteWork } from '@dexfeed/dex'
import { notIndexed, notNow } from '../http/http-failure.ts'
import { Turns } from '../http/limits/turns.ts'
import { isFresh } from '../service/freshness.ts'
import type { LiveMarket } from './live-market.ts'

export interface Markets {
  /** Null if not indexed, undefined if not known yet. */
  market(network: NetworkName): LiveMarket | null | undefined
  /** Resolves when the market is as of one block again; null if it is already. */
  changing(network: NetworkName): Promise<void> | null
}

export interface QuoteDeskOptions {
  feed: Markets
  maxAgeS: number
  /** Returns seconds since 1970. */
  now: () => number
  onOverBudget?: () => void
}

export interface PiecesOptions {
  client: string
  network: NetworkName
  signal: AbortSignal
  prices: { prepare(live: LiveMarket): Promise<void> }
}

const MAX_BEGINNINGS = 4

/**
 * Computes what needs the markets, one piece at a time and with clients in turn, because each piece blocks the process.
 */
export class QuoteDesk {
  readonly feed: Markets
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
    if (live === null) throw notIndexed(network)
    if (live.network.start === null) throw notNow(`nothing of ${network} is indexed yet`, 5)
    return live
  }

  /** @throws HttpFailure 503 if the indexed head is too old */
  checkFresh({ network }: LiveMarket): void {
    if (isFresh(network, this.now(), this.maxAgeS)) return
    throw notNow(`the pool state of ${network.network} is too old for a quote`, 5)
  }

  /** Returns whether a network's market is the same. Holds it weakly, so that a reload never keeps two in memory. */
  unchanged(live: LiveMarket): () => boolean {
    const { network } = live.network
    const known = new WeakRef(live)
    return () => {
      const current = this.feed.market(network) ?? null
      return current !== null && current === known.deref() && this.feed.changing(network) === null
    }
  }

  /** Runs work in the client's turn while the market is as of one block. */
  async inTurn<T>(client: string, network: NetworkName, work: () => T): Promise<T> {
    // A turn costs as much as a short response, even in an empty queue.
    if (this.#turns.isFree && this.feed.changing(network) === null) return work()
    return this.#queued(client, network, work)
  }

  async #queued<T>(client: string, network: NetworkName, work: () => T): Promise<T> {
    return this.#turns.run(client, async () => {
      for (let changing = this.feed.changing(network); changing !== null; changing = this.feed.changing(network)) {
        await changing
      }
      return work()
    })
  }

  /**
   * Computes pieces in turns, all in the same market, like `inSteps`.
   *
   * @throws HttpFailure 503
   */
  async together<Item, T>(
    items: readonly Item[],
    options: PiecesOptions,
    piece: (item: Item, live: LiveMarket) => T,
  ): Promise<{ live: LiveMarket; results: T[] }> {
    const { live, result } = await this.inSteps(options, function* (live) {
      const results: T[] = []
      for (const item of items) {
        if (results.length > 0) yield
        results.push(piece(item, live))
      }
      return results
    })
    return { live, results: result }
  }

  /**
   * Runs steps in turns, all in the same market, whose prices are prepared. If the market changes in between, starts
   * again, a few times.
   *
   * @throws HttpFailure 503 if the market changes faster than that
   */
  async inSteps<T>(
    { client, network, signal, prices }: PiecesOptions,
    begin: (live: LiveMarket) => Generator<undefined, T>,
  ): Promise<{ live: LiveMarket; result: T }> {
    for (let beginning = 0; beginning < MAX_BEGINNINGS; beginning++) {
      const live = this.market(network)
      await prices.prepare(live)
      const steps = begin(live)
      for (let isSame = true; isSame; ) {
        signal.throwIfAborted()
        // Always queued, so that the event loop runs after long steps.
        const step = await this.#queued(client, network, () => (this.market(network) === live ? steps.next() : null))
        if (step?.done) return { live, result: step.value }
        isSame = step !== null
      }
    }
    throw notNow(`the market of ${network} changes too fast for this many parts`)
  }

  /** @throws HttpFailure 503 if the quote takes too much work; a retry reuses what was computed */
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
