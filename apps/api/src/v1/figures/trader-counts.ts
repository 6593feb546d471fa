import { type Address, type NetworkName, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import { type AgeTraders, countedHops, type Reader } from '@dexfeed/store'
import { endsInTime } from '../../service/ends-in-time.ts'
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

/** How long a request waits for current figures if older ones exist, and for the traders of its rows. */
export const PATIENCE_MS = SECOND

/** Of one reading, the rows requested last are counted again before the next one is served. */
const MAX_REPEATED = 1_000

/** For one request: a few seconds' work. */
const MAX_HOPS = 2_000_000

/**
 * Counts for one request of a network at a time, because counting among many trades occupies a database connection for
 * seconds.
 */
export function inTurn(count: Reader['tradersOfAges']): Reader['tradersOfAges'] {
  const last = new Map<NetworkName, Promise<unknown>>()
  return (network, ...question) => {
    const counted = Promise.resolve(last.get(network)).then(() => count(network, ...question))
    last.set(
      network,
      counted.catch(() => undefined),
    )
    return counted
  }
}

/** Counts the distinct traders of figures as of one moment, once per row, because many trades take long. */
export class TraderCounts {
  readonly #count: (requests: readonly (Counted & { hops: number[] })[]) => Promise<Traders[]>
  readonly #patienceMs: number
  readonly #failed: (error: unknown) => void
  readonly #counts = new Map<string, Promise<void>>()
  readonly #known = new Map<string, Traders>()
  /** In the order of their last requests. */
  readonly #requested = new Map<string, Counted>()
  /** Counts that go on although no request waits for them any more. */
  #late = 0

  constructor(
    { reader, log }: { reader: Pick<Reader, 'tradersOfAges'>; log: Logger },
    network: NetworkName,
    { patienceMs, ...until }: { to: number; head: number | null; patienceMs: number },
  ) {
    this.#count = (requests) => reader.tradersOfAges(network, requests, until)
    this.#patienceMs = patienceMs
    let logged: unknown
    this.#failed = (error) => {
      // Several requests may have waited for one count.
      if (error !== logged) log.warn({ network, err: error }, 'cannot count traders')
      logged = error
    }
  }

  /**
   * Returns the traders since each of CHANGE_AGES_S. A row has none if its count takes longer than the patience, and the
   * largest rows have none if one request would count too many hops. A late count continues for later requests, and no
   * other begins until it ends, so that slow counts do not pile up.
   *
   * @throws StoreError
   */
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
    const smallestFirst = rows.toSorted(({ figures: a }, { figures: b }) => a.swaps - b.swaps)
    if (this.#late === 0) await this.#readInTime(smallestFirst)
    return rows.map(({ counted }) => this.#known.get(keyOf(counted)) ?? [])
  }

  async #readInTime(rows: readonly CountedRow[]): Promise<void> {
    const counting = this.#read(rows)
    if (await endsInTime(counting, this.#patienceMs)) return
    this.#late++
    void counting.catch(this.#failed).then(() => this.#late--)
  }

  /** Counts the rows of `previous` that were requested last. If that fails, later requests count them. */
  async countAgain(previous: TraderCounts, figuresOf: (counted: Counted) => CountedFigures | null): Promise<void> {
    const rows = [...previous.#requested.values()].toReversed().flatMap((counted) => {
      const figures = figuresOf(counted)
      return figures === null ? [] : [{ counted, figures }]
    })
    await this.#read(rows).catch(this.#failed)
  }

  /** Counts as many rows as have MAX_HOPS, preferring the first ones. */
  async #read(rows: readonly CountedRow[]): Promise<void> {
    const missing: (Counted & { hops: number[] })[] = []
    let all = 0
    for (const { counted, figures } of rows) {
      if (this.#counts.has(keyOf(counted))) continue
      const request = { ...counted, hops: flowsOf(figures).map(({ swaps }) => swaps) }
      const hops = countedHops(request)
      if (all + hops > MAX_HOPS) continue
      all += hops
      missing.push(request)
    }
    for (const isPool of [true, false]) {
      const requests = missing.filter(({ pool }) => (pool !== undefined) === isPool)
      if (requests.length === 0) continue
      const reading = this.#count(requests)
      for (const [n, request] of requests.entries()) {
        const key = keyOf(request)
        const count = reading.then((found) => void this.#known.set(key, found[n] ?? []))
        this.#counts.set(key, count)
        // The next request tries again.
        count.catch(() => this.#counts.delete(key))
      }
    }
    await Promise.all(rows.map(({ counted }) => this.#counts.get(keyOf(counted))))
  }
}

function keyOf({ pool, token }: Counted): string {
  return `${pool} ${token}`
}
