import type { BranchEnd, Chain } from '@dexfeed/chain'
import {
  type Address,
  type BlockPoint,
  type BlockRange,
  type Deployment,
  decodersOf,
  type EventDecoder,
  type Hex,
  LOOK_BACK_S,
  type PoolState,
  priceStateOf,
  protocolOf,
  type ReferencePool,
  type ReferenceState,
} from '@dexfeed/dex'
import { headerAt } from './header-at.ts'

/** Blocks of the first look back; each further one is twice as long. */
const FIRST_STEP = 64

interface SeenState {
  blockNumber: number
  state: PoolState
}

/** What a price event made of a reference pool's state. */
export interface ReferenceChange {
  pool: Address
  block: BlockPoint
  state: PoolState
}

/** What is known of one pool: every price event of the blocks from..to, ascending. */
interface Known {
  from: number
  to: number
  seen: SeenState[]
}

/**
 * Reads the reference pools' last states before a block from their logs, never from archive state. Remembers what it
 * has scanned per pool, so that a walk from chunk to chunk, in whatever direction, reads a quiet pool's day once.
 */
export class ReferenceHistory {
  readonly #chain: Pick<Chain, 'logsOf' | 'header'>
  readonly #decoders: ReadonlyMap<Hex, EventDecoder>
  readonly #topics: readonly Hex[]
  readonly #known = new Map<Address, Known>()
  readonly #times = new Map<number, number>()

  constructor(chain: Pick<Chain, 'logsOf' | 'header'>, deployment: Deployment) {
    this.#chain = chain
    const kinds = deployment.dexes.map(({ kind }) => kind)
    this.#decoders = decodersOf(kinds)
    this.#topics = [...new Set(kinds.flatMap((kind) => protocolOf(kind).priceTopics))]
  }

  /** Each pool's last state up to the end of a final block, where it is at most 24 hours older than a time. */
  async statesAfter(
    pools: readonly ReferencePool[],
    last: number,
    timestamp: number,
  ): Promise<Map<Address, ReferenceState>> {
    const oldest = timestamp - LOOK_BACK_S
    let open = pools.map(({ address }) => address)
    const found = new Map<Address, SeenState>()
    const settle = () => {
      open = open.filter((pool) => {
        const state = this.#known.get(pool)?.seen.findLast((seen) => seen.blockNumber <= last)
        if (state !== undefined) found.set(pool, state)
        return state === undefined
      })
    }
    for (const pool of open) this.#startAt(pool, last)
    settle()
    for (let step = FIRST_STEP; open.length > 0 && last >= 0; step *= 2) {
      const to = Math.max(...open.map((pool) => (this.#known.get(pool)?.from ?? 0) - 1))
      if (to < 0 || (await this.#timeOf(to)) < oldest) break
      await this.#scan(open, { from: Math.max(0, to - step + 1), to })
      settle()
    }
    return this.#dated(found, oldest)
  }

  /** What the price events of some blocks that may still change made of the pools' states, in order. */
  async changesIn(pools: readonly ReferencePool[], range: BlockRange, branch: BranchEnd): Promise<ReferenceChange[]> {
    const addresses = pools.map(({ address }) => address)
    const states = await this.#statesIn(addresses, range, branch)
    const dated = await this.#withTimes(states)
    return dated.map(({ pool, blockNumber, state, timestamp }) => {
      return { pool, block: { number: blockNumber, timestamp }, state }
    })
  }

  /** Continues what is known of a pool where it reaches up to the block; else starts over there. */
  #startAt(pool: Address, last: number): void {
    const known = this.#known.get(pool)
    if (known === undefined || last < known.from - 1 || last > known.to) {
      this.#known.set(pool, { from: last + 1, to: last, seen: [] })
    }
  }

  /** In log order. */
  async #statesIn(
    pools: readonly Address[],
    range: BlockRange,
    branch: BranchEnd | null,
  ): Promise<(SeenState & { pool: Address })[]> {
    const filter = { addresses: pools, topics: this.#topics, ...range }
    const logs = await this.#chain.logsOf(branch === null ? filter : { ...filter, branch })
    return logs.flatMap((log) => {
      const event = this.#decoders.get(log.topics[0] ?? '0x')?.(log)
      const state = event ? priceStateOf(event) : null
      return state === null ? [] : [{ pool: log.address, blockNumber: log.blockNumber, state }]
    })
  }

  async #scan(pools: readonly Address[], { from, to }: BlockRange): Promise<void> {
    const seen = new Map<Address, SeenState[]>(pools.map((pool) => [pool, []]))
    for (const { pool, ...state } of await this.#statesIn(pools, { from, to }, null)) seen.get(pool)?.push(state)
    for (const pool of pools) {
      const known = this.#known.get(pool)
      if (known === undefined || known.from <= from) continue
      const older = (seen.get(pool) ?? []).filter(({ blockNumber }) => blockNumber < known.from)
      this.#known.set(pool, { ...known, from, seen: [...older, ...known.seen] })
    }
  }

  async #dated(found: ReadonlyMap<Address, SeenState>, oldest: number): Promise<Map<Address, ReferenceState>> {
    const states = new Map<Address, ReferenceState>()
    const seen = [...found].map(([pool, state]) => ({ pool, ...state }))
    for (const { pool, state, timestamp } of await this.#withTimes(seen)) {
      if (timestamp >= oldest) states.set(pool, { state, timestamp })
    }
    return states
  }

  /** With the times of their blocks, each asked for once, side by side. */
  async #withTimes<T extends SeenState>(seen: readonly T[]): Promise<(T & { timestamp: number })[]> {
    await Promise.all([...new Set(seen.map(({ blockNumber }) => blockNumber))].map((number) => this.#timeOf(number)))
    return Promise.all(seen.map(async (one) => ({ ...one, timestamp: await this.#timeOf(one.blockNumber) })))
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
