import { setTimeout as delay } from 'node:timers/promises'
import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import { StoreError } from '@dexfeed/store'
import { notNow } from '../../http/http-failure.ts'
import type { LiveMarket } from '../../quote/live-market.ts'
import type { ChangeFeed } from '../../service/change-feed.ts'
import type { NetworkFigures } from './network-figures.ts'
import { type FiguresSource, readFigures } from './read-figures.ts'

const MINUTE_S = 60

/** So long a request waits for figures of now where there are older ones, and where there are none. */
const PATIENCE_MS = SECOND
const FIRST_PATIENCE_MS = 10 * SECOND

/** Between two readings lies so many times what the last one took: a tenth of the time goes into them at most. */
const REST = 9

/** A reading that failed counts as one of so long: it is not repeated at once, nor is an outage waited for long after. */
const [LEAST_FAILED_MS, MOST_FAILED_MS] = [SECOND / 10, SECOND]

export interface FiguresOptions extends FiguresSource {
  changes: Pick<ChangeFeed, 'subscribe'>
  /** Seconds. */
  now: () => number
  figuresRest?: number
  patienceMs?: number
}

/** The figures of the networks, read once for all who ask, and anew where the database or the minute has changed. */
export class FiguresBoard {
  readonly #kept: ReadonlyMap<NetworkName, KeptFigures>

  constructor(options: FiguresOptions) {
    this.#kept = new Map(NETWORK_NAMES.map((name) => [name, new KeptFigures(name, options)]))
    options.changes.subscribe(({ network }) => {
      for (const [name, kept] of this.#kept) if (network === null || network === name) kept.invalidate()
    })
  }

  /**
   * Settles when `of` gives figures of now, or after as long as a request may wait for them.
   *
   * @throws StoreError where none are known yet and the database cannot tell
   */
  async soon(network?: NetworkName): Promise<void> {
    await Promise.all(this.#keptOf(network).map((kept) => kept.soon()))
  }

  /**
   * Those of the networks that are being indexed, or of one of them, as they were read last.
   *
   * @throws HttpFailure 503 while the first ones are being read
   */
  of(network?: NetworkName): NetworkFigures[] {
    return this.#keptOf(network).flatMap((kept) => kept.figures ?? [])
  }

  #keptOf(network?: NetworkName): KeptFigures[] {
    const names = network === undefined ? NETWORK_NAMES : [network]
    return names.flatMap((name) => this.#kept.get(name) ?? [])
  }
}

interface Known {
  figures: NetworkFigures | null
  version: number
  minute: number
  /** The market's state; weak, since one that is read anew must not stand beside the old one. */
  live: WeakRef<LiveMarket> | null
}

/** Of one network. */
class KeptFigures {
  readonly #name: NetworkName
  readonly #options: FiguresOptions
  #version = 0
  #known: Known | null = null
  #restUntil = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(name: NetworkName, options: FiguresOptions) {
    this.#name = name
    this.#options = options
  }

  invalidate(): void {
    this.#version++
  }

  /** Null: the network is not being indexed. @throws HttpFailure 503 */
  get figures(): NetworkFigures | null {
    if (this.#known === null) throw notNow('the figures of tokens and pools are being put together', 5)
    return this.#known.figures
  }

  async soon(): Promise<void> {
    const version = this.#version
    // One that is under way may have begun before what this caller knows of.
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
    return (this.#options.feed.market(this.#name) ?? undefined) === known.live?.deref()
  }

  #rests(): boolean {
    return this.#reading === null && performance.now() < this.#restUntil
  }

  #minute(): number {
    return Math.floor(this.#options.now() / MINUTE_S)
  }

  async #read(): Promise<void> {
    const [version, minute, began] = [this.#version, this.#minute(), performance.now()]
    const rest = (ms: number) => {
      this.#restUntil = performance.now() + (this.#options.figuresRest ?? REST) * ms
    }
    let live: Known['live'] = null
    try {
      const figures = await readFigures(this.#options, this.#name, this.#options.now(), (market) => {
        live = market ? new WeakRef(market) : null
      })
      this.#known = { figures, version, minute, live }
      rest(performance.now() - began)
    } catch (error) {
      rest(Math.min(Math.max(performance.now() - began, LEAST_FAILED_MS), MOST_FAILED_MS))
      throw error
    }
  }

  /** Whether it was done within the time that a request has. Where the database cannot, older figures are enough. */
  async #isDone(reading: Promise<void>): Promise<boolean> {
    const ms = this.#options.patienceMs ?? (this.#known === null ? FIRST_PATIENCE_MS : PATIENCE_MS)
    const over = new AbortController()
    const late = delay(ms, false, { ref: false, signal: over.signal }).catch(() => false)
    // Where it fails after that, the next request tells.
    reading.catch(() => undefined)
    try {
      return await Promise.race([reading.then(() => true), late])
    } catch (error) {
      if (this.#known !== null && error instanceof StoreError) return false
      throw error
    } finally {
      over.abort()
    }
  }
}
