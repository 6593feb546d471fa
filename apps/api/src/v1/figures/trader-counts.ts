import type { Address, NetworkName, PoolAddress } from '@dexfeed/dex'
import type { AgeTraders, Reader } from '@dexfeed/store'
import { flowsOf } from './age-flows.ts'

/** A token, or a pool with the token whose buyers and sellers are counted. */
export interface Counted {
  pool?: PoolAddress
  token: Address
}

interface CountedRow {
  counted: Counted
  figures: CountedFigures
}

interface CountedFigures {
  swaps: number
  ages: string
}

export type Traders = readonly (AgeTraders | null)[]

/** Of one reading, the rows requested last are counted again before the next one is served: a few seconds' work. */
const MAX_REPEATED = 1_000
const MAX_REPEATED_HOPS = 2_000_000

/** Counts for one request at a time, because among many trades that takes a connection of the database for seconds. */
export function inTurn(count: Reader['tradersOfAges']): Reader['tradersOfAges'] {
  let last: Promise<unknown> = Promise.resolve()
  return (...question) => {
    const counted = last.then(() => count(...question))
    last = counted.catch(() => undefined)
    return counted
  }
}

/**
 * Counts the distinct traders of rows of one reading of the figures, once per row, because that takes long for a row with
 * many trades.
 */
export class TraderCounts {
  readonly #count: (requests: readonly (Counted & { hops: number[] })[]) => Promise<Traders[]>
  readonly #counts = new Map<string, Promise<Traders>>()
  /** The last one is last. */
  readonly #requested = new Map<string, Counted>()

  constructor(reader: Pick<Reader, 'tradersOfAges'>, network: NetworkName, until: { to: number; head: number | null }) {
    this.#count = (requests) => reader.tradersOfAges(network, requests, until)
  }

  /** Returns the traders since each of CHANGE_AGES_S. @throws StoreError */
  async of(rows: readonly CountedRow[]): Promise<Traders[]> {
    for (const { counted } of rows) {
      const key = keyOf(counted)
      this.#requested.delete(key)
      this.#requested.set(key, counted)
    }
    for (const key of this.#requested.keys()) {
      if (this.#requested.size <= MAX_REPEATED) break
      this.#requested.delete(key)
    }
    return this.#read(rows)
  }

  /** Counts the rows that were requested last of `previous`. */
  async countAgain(previous: TraderCounts, figuresOf: (counted: Counted) => CountedFigures | null): Promise<void> {
    const rows: CountedRow[] = []
    let hops = 0
    for (const counted of [...previous.#requested.values()].toReversed()) {
      const figures = figuresOf(counted)
      if (figures === null) continue
      hops += figures.swaps
      if (hops > MAX_REPEATED_HOPS) break
      rows.push({ counted, figures })
    }
    await this.#read(rows)
  }

  #read(rows: readonly CountedRow[]): Promise<Traders[]> {
    const missing = rows.filter(({ counted }) => !this.#counts.has(keyOf(counted)))
    for (const isPool of [true, false]) {
      const ofKind = missing.filter(({ counted }) => (counted.pool !== undefined) === isPool)
      if (ofKind.length === 0) continue
      const requests = ofKind.map(({ counted, figures }) => ({
        ...counted,
        hops: flowsOf(figures).map(({ swaps }) => swaps),
      }))
      const reading = this.#count(requests)
      for (const [n, { counted }] of ofKind.entries()) {
        const traders = reading.then((found) => found[n] ?? [])
        this.#counts.set(keyOf(counted), traders)
        // The next request tries again.
        traders.catch(() => this.#counts.delete(keyOf(counted)))
      }
    }
    return Promise.all(rows.map(({ counted }) => this.#counts.get(keyOf(counted)) ?? []))
  }
}

function keyOf({ pool, token }: Counted): string {
  return `${pool} ${token}`
}
