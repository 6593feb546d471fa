import { NETWORK_NAMES, type NetworkName, type PoolAddress, SECOND } from '@dexfeed/dex'
import { type EdgeSnapshot, type FoundRecent, findRecent, type Reader, type SwapSearch } from '@dexfeed/store'
import type { Changes } from '../../service/change-feed.ts'
import type { EdgeTrade } from './edge-rows.ts'
import { type EdgeStep, type NetworkEdge, newestFirst, nextEdge, unvaluedPools } from './network-edge.ts'
import { swapMatcher } from './swap-matcher.ts'

const RETRY_MS = SECOND
/** New pools per round whose values are looked up. */
const MAX_VALUED = 500

/** Returns what each pool is worth in USD times 10^8; null if that is unknown. */
export type ValuePools = (
  network: NetworkName,
  pools: readonly PoolAddress[],
) => Promise<ReadonlyMap<PoolAddress, bigint | null>>

export type Steps = readonly (readonly [NetworkName, EdgeStep])[]

/** The newest trades of each network in memory, for the stream and for searches. Reads the database only on demand. */
export class RecentTrades {
  readonly #reader: { edge: Reader['edge'] }
  readonly #edges = new Map<NetworkName, NetworkEdge>()
  readonly #stopping = new AbortController()
  readonly #unsubscribe: () => void
  #pausedUntil = 0
  #listener: ((steps: Steps) => void) | null = null
  /** Networks that have changed since their last read began. */
  #changed = new Set<NetworkName>(NETWORK_NAMES)
  #reading: ReadonlySet<NetworkName> = new Set()
  #round: Promise<void> | null = null
  #valuePools: ValuePools = async () => new Map()
  readonly #values = new Map<NetworkName, { reorgs: number; values: ReadonlyMap<PoolAddress, bigint> }>()
  #valuing: Promise<void> | null = null

  constructor({ reader, changes }: { reader: { edge: Reader['edge'] }; changes: Changes }) {
    this.#reader = reader
    this.#unsubscribe = changes.subscribe(({ network }) => {
      for (const name of network === null ? NETWORK_NAMES : [network]) this.#changed.add(name)
    })
  }

  get edges(): ReadonlyMap<NetworkName, NetworkEdge> {
    return this.#edges
  }

  /** Calls the listener with the steps of each read, which then include the candles and prices that trades moved. */
  listen(listener: ((steps: Steps) => void) | null): void {
    this.#listener = listener
  }

  /** Sets how new pools are valued while somebody listens. Their values are sent with the next change. */
  valuePools(valuePools: ValuePools): void {
    this.#valuePools = valuePools
  }

  /** Reads what has changed until now. @throws StoreError, and then keeps the older trades */
  async refresh(): Promise<void> {
    // A failure leaves its networks changed, so that they are read again.
    if (this.#round !== null) await this.#round.catch(() => undefined)
    if (this.#changed.size > 0) this.#round ??= this.#read()
    await this.#round
  }

  /**
   * Returns what `findSwaps` finds, if the trades in memory fill the page and no change of the network is unread. If one
   * is, begins to read it; the search need not wait, because the database knows it already.
   */
  find(search: SwapSearch): FoundRecent<EdgeTrade> | null {
    const { network, ascending, final, filter } = search
    if (ascending || final || filter.txHash !== undefined || this.#stopping.signal.aborted) return null
    const asked = NETWORK_NAMES.filter((name) => network === undefined || name === network)
    if (asked.some((name) => this.#changed.has(name) || this.#reading.has(name))) {
      this.#readAhead()
      return null
    }
    const recent = asked.flatMap((name) => {
      const edge = this.#edges.get(name)
      return edge === undefined ? [] : [{ network: edge.standing, floor: edge.floor, trades: newestFirst(edge) }]
    })
    const isMatching = swapMatcher(filter)
    const byPool = (filter.pool ?? filter.protocol) !== undefined
    let isUnsure = false
    const found = findRecent(recent, search, (trade) => {
      // Only the database can match a pool that is stored with its key alone.
      if (byPool && trade.hops.some(({ pool }) => pool === null)) isUnsure = true
      return isMatching(trade)
    })
    return isUnsure ? null : found
  }

  /** Pauses after a failure, which the search itself meets and reports. */
  #readAhead(): void {
    if (performance.now() < this.#pausedUntil) return
    this.refresh().catch(() => {
      this.#pausedUntil = performance.now() + RETRY_MS
    })
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stopping.abort(new Error('the API ends'))
    await this.#round?.catch(() => undefined)
  }

  async #read(): Promise<void> {
    const changed = this.#changed
    this.#changed = new Set()
    this.#reading = changed
    try {
      const unknown = new Map([...this.#edges].map(([network, edge]) => [network, edge.unknown] as const))
      const steps = await this.#reader.edge(unknown, this.#stopping.signal, (snapshot) => this.#steps(snapshot))
      for (const [network, { edge }] of steps) {
        if (edge === null) this.#edges.delete(network)
        else this.#edges.set(network, edge)
      }
      this.#listener?.(steps)
      if (this.#listener !== null) this.#startValuing()
    } catch (error) {
      for (const network of changed) this.#changed.add(network)
      throw error
    } finally {
      this.#reading = new Set()
      this.#round = null
    }
  }

  /** Not awaited by a round, because finding the prices of a market may take seconds. A failure is tried again. */
  #startValuing(): void {
    this.#valuing ??= this.#value().finally(() => {
      this.#valuing = null
    })
  }

  async #value(): Promise<void> {
    try {
      for (const [network, edge] of this.#edges) {
        const pools = unvaluedPools(edge, MAX_VALUED)
        const found = pools.length === 0 ? new Map() : await this.#valuePools(network, pools)
        const known = [...found].filter((pair): pair is [PoolAddress, bigint] => pair[1] !== null && pair[1] > 0n)
        this.#values.set(network, { reorgs: edge.standing.reorgs, values: new Map(known) })
      }
    } catch {
      this.#values.clear()
    }
  }

  async #steps(snapshot: EdgeSnapshot): Promise<Steps> {
    const steps: [NetworkName, EdgeStep][] = []
    for (const network of NETWORK_NAMES) {
      const standing = snapshot.networks.find((listed) => listed.network === network) ?? null
      const known = this.#edges.get(network) ?? null
      const worth = this.#values.get(network)
      const values = worth?.reorgs === standing?.reorgs ? worth?.values : undefined
      const step = await nextEdge(snapshot, known, standing, { rollUps: this.#listener !== null, values })
      if (step !== null) steps.push([network, step])
    }
    return steps
  }
}
