import { type Address, MINUTE_S, NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import { StoreError } from '@dexfeed/store'
import { notNow } from '../../http/http-failure.ts'
import type { LiveMarket } from '../../quote/live-market.ts'
import type { TradedPrice } from '../../quote/prices/token-prices.ts'
import type { Changes } from '../../service/change-feed.ts'
import { endsInTime } from '../../service/ends-in-time.ts'
import { type FiguresSource, readFigures } from './read-figures.ts'
import type { Figures, NetworkFigures } from './table/figure-table.ts'
import { type Counted, inTurn, PATIENCE_MS } from './trader-counts.ts'

/** How long a request waits for the first figures. */
const FIRST_PATIENCE_MS = 10 * SECOND

/** The pause after a read, as a multiple of the read's duration: reads take at most a tenth of the time. */
const PAUSE_FACTOR = 9

/** A failed read counts as at least and at most this long, so that the next one comes soon, but not at once. */
const MIN_FAILED_MS = SECOND / 10
const MAX_FAILED_MS = SECOND

export interface FiguresOptions extends FiguresSource {
  changes: Changes
  now: () => number
}

export class FiguresBoard {
  readonly #cached: readonly CachedFigures[]

  constructor(options: FiguresOptions) {
    const { lastDay, tradersOfAges } = options.reader
    const reader = { lastDay, tradersOfAges: inTurn(tradersOfAges) }
    this.#cached = NETWORK_NAMES.map((name) => new CachedFigures(name, { ...options, reader }))
    options.changes.subscribe(({ network }) => {
      for (const cached of this.#cachedOf(network ?? undefined)) cached.invalidate()
    })
  }

  /** Resolves when `of` returns current figures, or when a request has waited long enough. @throws StoreError */
  async soon(network?: NetworkName): Promise<void> {
    await Promise.all(this.#cachedOf(network).map((cached) => cached.soon()))
  }

  /** Returns the latest figures of one network, or of all indexed ones. @throws HttpFailure 503 before the first read */
  of(network?: NetworkName): NetworkFigures[] {
    return this.#cachedOf(network).flatMap(({ latest }) => {
      if (latest === undefined) throw notNow('the figures of tokens and pools are being computed', 5)
      return latest ?? []
    })
  }

  /**
   * Returns a lookup of USD prices by trades. Waits only for the first figures; older ones are refreshed in the
   * background.
   */
  async pricesByTrades(network: NetworkName): Promise<(token: Address) => TradedPrice | null> {
    const reading = this.soon(network)
    reading.catch(() => undefined)
    const [cached] = this.#cachedOf(network)
    if (cached?.latest === undefined) await reading
    const tokens = cached?.latest?.tokens
    return (token) => {
      const row = tokens?.find(token) ?? null
      if (tokens === undefined || row === null) return null
      const { priceUsd, isWeighted } = tokens.price(row)
      return priceUsd === null ? null : { priceUsd, isWeighted: isWeighted === true }
    }
  }

  #cachedOf(network: NetworkName | undefined): CachedFigures[] {
    return this.#cached.filter(({ name }) => network === undefined || network === name)
  }
}

interface Known {
  figures: NetworkFigures | null
  version: number
  minute: number
  /** Weak, so that a replaced market can be freed. */
  live: WeakRef<LiveMarket> | null
}

class CachedFigures {
  readonly name: NetworkName
  readonly #options: FiguresOptions
  #version = 0
  #known: Known | null = null
  #restUntil = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(name: NetworkName, options: FiguresOptions) {
    this.name = name
    this.#options = options
  }

  invalidate(): void {
    this.#version++
  }

  /** Null if the network is not indexed, undefined before the first read. */
  get latest(): NetworkFigures | null | undefined {
    return this.#known?.figures
  }

  async soon(): Promise<void> {
    const version = this.#version
    // A running read may have begun before the change that this caller needs.
    for (let tries = 0; tries < 2 && !this.#isCurrent(version) && !this.#rests(); tries++) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null
      })
      if (!(await this.#isDone(this.#reading))) break
    }
  }

  #isCurrent(version: number): boolean {
    const known = this.#known
    if (known === null || known.version < version || known.minute !== this.#minute()) return false
    return (this.#options.feed.market(this.name) ?? undefined) === known.live?.deref()
  }

  #rests(): boolean {
    return this.#reading === null && performance.now() < this.#restUntil
  }

  #minute(): number {
    return Math.floor(this.#options.now() / MINUTE_S)
  }

  async #read(): Promise<void> {
    const version = this.#version
    const minute = this.#minute()
    const began = performance.now()
    const rest = (ms: number) => {
      this.#restUntil = performance.now() + (this.#options.figuresRest ?? PAUSE_FACTOR) * ms
    }
    let live: Known['live'] = null
    try {
      const figures = await readFigures(this.#options, this.name, this.#options.now(), (market) => {
        live = market ? new WeakRef(market) : null
      })
      const previous = this.#known?.figures
      if (figures && previous) await figures.traders.countAgain(previous.traders, figuresIn(figures))
      this.#known = { figures, version, minute, live }
      rest(performance.now() - began)
    } catch (error) {
      rest(Math.min(Math.max(performance.now() - began, MIN_FAILED_MS), MAX_FAILED_MS))
      throw error
    }
  }

  async #isDone(reading: Promise<void>): Promise<boolean> {
    const ms = this.#options.patienceMs ?? (this.#known === null ? FIRST_PATIENCE_MS : PATIENCE_MS)
    try {
      // If it fails later, the next request reports the error.
      return await endsInTime(reading, ms)
    } catch (error) {
      if (this.#known !== null && error instanceof StoreError) return false
      throw error
    }
  }
}

function figuresIn({ tokens, pools }: NetworkFigures): (counted: Counted) => Figures | null {
  return ({ pool, token }) => {
    const table = pool === undefined ? tokens : pools
    const row = table.find(pool ?? token)
    return row === null ? null : table.at(row)
  }
}
