import { type Address, type NetworkName, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { AgeTraders, Reader } from '@dexfeed/store'
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

/** Of one reading, the rows requested last are counted again before the next one is served: a few seconds' work. */
const MAX_REPEATED = 1_000
const MAX_REPEATED_HOPS = 2_000_000

/** Counts for one request at a time, because counting among many trades occupies a database connection for seconds. */
export function inTurn(count: Reader['tradersOfAges']): Reader['tradersOfAges'] {
  let last: Promise<unknown> = Promise.resolve()
  return (...question) => {
    const counted = last.then(() => count(...question))
    last = counted.catch(() => undefined)
    return counted
  }
}

/** Counts the distinct traders of figures as of one moment, once per row, because many trades take long. */
export class TraderCounts {
  readonly #count: (requests: readonly (Counted & { hops: number[] })[]) => Promise<Traders[]>
  readonly #patienceMs: number
  readonly #counts = new Map<string, Promise<void>>()
  readonly #known = new Map<string, Traders>()
  /** In the order of their last requests. */
  readonly #requested = new Map<string, Counted>()
  /** Counts that go on although no request waits for them any more. */
  #late = 0

  constructor(
    reader: Pick<Reader, 'tradersOfAges'>,
    network: NetworkName,
    { patienceMs, ...until }: { to: number; head: number | null; patienceMs: number },
  ) {
    this.#count = (requests) => reader.tradersOfAges(network, requests, until)
    this.#patienceMs = patienceMs
  }

  /**
   * Returns the traders since each of CHANGE_AGES_S; none of a row that is not counted within the patience. Such a count
   * goes on for later requests, and no other begins meanwhile, or more would be asked than the database can count.
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
    if (this.#late === 0) await this.#readInTime(rows)
    return rows.map(({ counted }) => this.#known.get(keyOf(counted)) ?? [])
  }

  async #readInTime(rows: readonly CountedRow[]): Promise<void> {
    const counting = this.#read(rows)
    if (await endsInTime(counting, this.#patienceMs)) return
    this.#late++
    const end = () => this.#late--
    counting.then(end, end)
  }

  /** Counts the rows of `previous` that were requested last. */
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

  async #read(rows: readonly CountedRow[]): Promise<void> {
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
        const key = keyOf(counted)
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
