import type { BranchEnd, LogsOf } from '@dexfeed/chain'
import {
  type Address,
  type BlockRange,
  type Deployment,
  decodersOf,
  type EventDecoder,
  evidenceStart,
  type Hex,
  LOOK_BACK_S,
  MAX_EVIDENCE_BLOCKS,
  protocolOf,
  type ReferenceChange,
  type ReferenceEvent,
  type ReferencePool,
  referenceBlocks,
  referenceEventOf,
} from '@dexfeed/dex'
import { type HeaderSource, headerAt } from './common-ancestor.ts'

const FIRST_STEP = 64
/** Events this far above the requested block are kept, because chunks may be requested out of order. */
const KEPT_HOURS = 2

export interface LogSource extends HeaderSource {
  logsOf: LogsOf
}

interface SeenEvent {
  blockNumber: number
  event: ReferenceEvent
}

interface Known {
  from: number
  to: number
  seen: readonly SeenEvent[]
}

/** Plain data, which can be sent to another process. */
export interface ReferenceCache {
  known: ReadonlyMap<Address, Known>
  times: ReadonlyMap<number, number>
}

/**
 * Reads the inputs of reference prices from logs, without archive state, back to the events that set price and
 * liquidity at the oldest block that counts. A walk backwards reads each block once.
 */
export class ReferenceHistory {
  readonly #chain: LogSource
  readonly #secondOpinion: boolean
  readonly #decoders: ReadonlyMap<Hex, EventDecoder>
  readonly #topics: readonly Hex[]
  readonly #blocks: ReturnType<typeof referenceBlocks>
  readonly #known: Map<Address, Known>
  readonly #times: Map<number, number>

  constructor(
    chain: LogSource,
    deployment: Deployment,
    { secondOpinion = false, cache }: { secondOpinion?: boolean | undefined; cache?: ReferenceCache | undefined } = {},
  ) {
    this.#known = new Map(cache?.known)
    this.#times = new Map(cache?.times)
    this.#chain = chain
    this.#secondOpinion = secondOpinion
    const kinds = deployment.dexes.map(({ kind }) => kind)
    this.#decoders = decodersOf(kinds)
    this.#topics = [...new Set(kinds.flatMap((kind) => protocolOf(kind).referenceTopics))]
    this.#blocks = referenceBlocks(deployment.network)
  }

  get cache(): ReferenceCache {
    return { known: this.#known, times: this.#times }
  }

  /** Returns the changes that determine the prices after the final block `last`, in order for each pool. */
  async changesUpTo(pools: readonly ReferencePool[], last: number, timestamp: number): Promise<ReferenceChange[]> {
    const oldest = timestamp - LOOK_BACK_S
    let open = pools.map(({ address }) => address)
    for (const pool of open) this.#startAt(pool, last)
    for (let step = FIRST_STEP; ; step *= 2) {
      const newest = Math.max(...open.map((pool) => this.#of(pool).from - 1))
      const isPast = newest < 0 || (await this.#timeOf(newest)) < oldest
      open = open.filter((pool) => this.#lacks(pool, last, isPast))
      const to = Math.max(...open.map((pool) => this.#of(pool).from - 1))
      if (to < 0) break
      const first = Math.min(...open.map((pool) => this.#start(pool, last, isPast) ?? Number.NEGATIVE_INFINITY))
      await this.#scan(open, { from: Math.max(0, first, to - step + 1), to })
    }
    return this.#dated(pools.flatMap(({ address }) => this.#countingOf(address, last)))
  }

  async changesIn(pools: readonly ReferencePool[], range: BlockRange, branch: BranchEnd): Promise<ReferenceChange[]> {
    const addresses = pools.map(({ address }) => address)
    return this.#dated(await this.#eventsIn(addresses, range, branch))
  }

  #of(pool: Address): Known {
    return this.#known.get(pool) ?? { from: 0, to: -1, seen: [] }
  }

  #startAt(pool: Address, last: number): void {
    const known = this.#known.get(pool)
    if (known === undefined || last < known.from - 1 || last > known.to) {
      this.#known.set(pool, { from: last + 1, to: last, seen: [] })
      return
    }
    const to = last + KEPT_HOURS * this.#blocks.hourBlocks
    if (known.to > to) {
      const seen = known.seen.filter(({ blockNumber }) => blockNumber <= to)
      this.#known.set(pool, { ...known, to, seen })
    }
  }

  /** Returns whether a pool needs older events. `isPast` means that its cache reaches the oldest time that counts. */
  #lacks(pool: Address, last: number, isPast: boolean): boolean {
    const { from } = this.#of(pool)
    const start = this.#start(pool, last, isPast)
    return from > 0 && (start === null ? !isPast : from > start)
  }

  /** Returns the first block whose events count, or null if no price is known. */
  #start(pool: Address, last: number, isPast: boolean): number | null {
    const { hourBlocks } = this.#blocks
    const { seen } = this.#of(pool)
    const first = seen[this.#firstPrice(seen, last, isPast)]
    // Keep liquidity events, because they count for the first price to come.
    if (first === undefined) return isPast ? evidenceStart(last + 1, hourBlocks, true) : null
    // A pair's price event states its reserves, so nothing earlier is needed.
    if (first.event.type === 'price' && first.event.state.kind === 'pair') return first.blockNumber
    const shorter = evidenceStart(first.blockNumber, hourBlocks, false)
    const before = new Set(seen.flatMap(({ blockNumber }) => (blockNumber < shorter ? [blockNumber] : [])))
    return before.size > MAX_EVIDENCE_BLOCKS ? shorter : evidenceStart(first.blockNumber, hourBlocks, true)
  }

  /**
   * Returns the index of the price in force at the oldest block that counts. If that price is too old, returns the
   * index of the next price, or -1 if there is none.
   */
  #firstPrice(seen: readonly SeenEvent[], last: number, isPast: boolean): number {
    const isPrice = ({ event }: SeenEvent) => event.type === 'price'
    const oldestEnd = last + 1 - this.#blocks.settlingBlocks
    const standing = seen.findLastIndex((seenEvent) => seenEvent.blockNumber <= oldestEnd && isPrice(seenEvent))
    if (standing >= 0 || !isPast) return standing
    return seen.findIndex((seenEvent) => seenEvent.blockNumber <= last && isPrice(seenEvent))
  }

  /**
   * Returns the events up to block `last`. Those before the first price that counts (`isPast`) matter only for
   * liquidity.
   */
  #countingOf(pool: Address, last: number): (SeenEvent & { pool: Address; isPast: boolean })[] {
    const seen = this.#of(pool).seen.filter(({ blockNumber }) => blockNumber <= last)
    const first = seen[this.#firstPrice(seen, last, true)]?.blockNumber ?? last + 1
    return seen.map((seenEvent) => ({ pool, ...seenEvent, isPast: seenEvent.blockNumber < first }))
  }

  async #eventsIn(
    pools: readonly Address[],
    range: BlockRange,
    branch: BranchEnd | null,
  ): Promise<(SeenEvent & { pool: Address })[]> {
    const filter = { addresses: pools, topics: this.#topics, ...range, secondOpinion: this.#secondOpinion }
    const logs = await this.#chain.logsOf(branch === null ? filter : { ...filter, branch })
    return logs.flatMap((log) => {
      const decoded = this.#decoders.get(log.topics[0] ?? '0x')?.(log)
      const event = decoded ? referenceEventOf(decoded) : null
      return event === null ? [] : [{ pool: log.address, blockNumber: log.blockNumber, event }]
    })
  }

  async #scan(pools: readonly Address[], { from, to }: BlockRange): Promise<void> {
    const seen = new Map<Address, SeenEvent[]>(pools.map((pool) => [pool, []]))
    for (const { pool, ...event } of await this.#eventsIn(pools, { from, to }, null)) seen.get(pool)?.push(event)
    for (const pool of pools) {
      const known = this.#of(pool)
      if (known.from <= from) continue
      const older = (seen.get(pool) ?? []).filter(({ blockNumber }) => blockNumber < known.from)
      this.#known.set(pool, { ...known, from, seen: [...older, ...known.seen] })
    }
  }

  async #dated(seen: readonly (SeenEvent & { pool: Address; isPast?: boolean })[]): Promise<ReferenceChange[]> {
    const prices = seen.filter(({ event, isPast }) => event.type === 'price' && isPast !== true)
    const numbers = [...new Set(prices.map(({ blockNumber }) => blockNumber))]
    const times = new Map(
      await Promise.all(numbers.map(async (number) => [number, await this.#timeOf(number)] as const)),
    )
    return seen.map(({ pool, blockNumber: number, event }) => {
      // Only prices that count need a time.
      return { pool, block: { number, timestamp: times.get(number) ?? 0 }, event }
    })
  }

  async #timeOf(blockNumber: number): Promise<number> {
    const cached = this.#times.get(blockNumber)
    if (cached !== undefined) return cached
    const { timestamp } = await headerAt(this.#chain, blockNumber)
    if (this.#times.size > 10_000) this.#times.clear()
    this.#times.set(blockNumber, timestamp)
    return timestamp
  }
}
