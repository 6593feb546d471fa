import type { HasCode, LogsOf } from '@dexfeed/chain'
import {
  type Address,
  type BlockHeader,
  type BlockRange,
  type Dex,
  decodersOf,
  type EventDecoder,
  type Hex,
  keyInEvent,
  type MissingKey,
  type PoolAddress,
  type PoolKey,
  provePool,
} from '@dexfeed/dex'
import type { KeyProgress } from '@dexfeed/store'

const WINDOW_BLOCKS = 50_000
const WINDOWS = 4
/**
 * After a search without result, search again once the chain has grown by this many blocks. Doubles up to
 * `MAX_DOUBLINGS` times.
 */
const AGAIN_AFTER_BLOCKS = 5_000
const MAX_DOUBLINGS = 3

/** The nodes did not return logs that must exist. */
export class KeysNotFound extends Error {
  override readonly name = 'KeysNotFound'
  readonly retryable = true

  constructor(manager: Address, pools: readonly PoolAddress[]) {
    super(
      `no log of the pool manager ${manager} was found for the keys of ${pools.map((pool) => pool.slice(42)).join(', ')}`,
    )
  }
}

class NothingFinal extends Error {
  override readonly name = 'NothingFinal'
  readonly retryable = true

  constructor() {
    super('the search for pool keys starts once the network has a final block')
  }
}

export interface SearchedChain {
  head(): Promise<BlockHeader>
  logsOf: LogsOf
  hasCode: HasCode
}

export interface SearchDependencies {
  chain: SearchedChain
  dexes: readonly Dex[]
  keyStore: KeyStore
}

type FoundKeys = [PoolAddress, PoolKey][]

/**
 * Searches for the logs that report the creation of one manager's pools: first in newly final blocks, then in blocks
 * that are not final yet, then in older final blocks down to the manager's deployment. Stores progress for final blocks
 * only. A key from an orphaned block is valid, because it hashes to the pool's id.
 */
export class ManagerSearch {
  readonly #deps: SearchDependencies
  readonly #manager: Address
  readonly #topic: Hex
  readonly #decoder: EventDecoder | undefined
  /** The pools for which this run has searched the blocks that are not final. */
  #searchedFor: ReadonlySet<PoolAddress> = new Set()

  constructor(dependencies: SearchDependencies, { address, topic }: MissingKey['keyLog']) {
    this.#deps = dependencies
    this.#manager = address
    this.#topic = topic
    this.#decoder = decodersOf(dependencies.dexes.map(({ kind }) => kind)).get(topic)
  }

  endRun(): void {
    this.#searchedFor = new Set()
  }

  /**
   * Takes one step. Only one process at a time may do so. Stores the keys in final blocks, and returns those in other
   * blocks.
   * @throws KeysNotFound when everything was searched, or an error from the chain or the key store
   */
  async step(missing: ReadonlySet<PoolAddress>): Promise<FoundKeys> {
    const { chain, keyStore } = this.#deps
    const [progress, row, head] = await Promise.all([
      keyStore.keyProgress(this.#manager),
      keyStore.networkRow(),
      chain.head(),
    ])
    if (row?.finalNumber == null) throw new NothingFinal()
    const final = Math.min(row.finalNumber, head.number)
    const isLookedFor = [...missing].every((pool) => this.#searchedFor.has(pool))
    if (progress.searched !== null && progress.searched.to < final) {
      await this.#searchUpwards(progress, progress.searched, final)
      return []
    }
    if (!isLookedFor && final < head.number) {
      this.#searchedFor = new Set(missing)
      return this.#read({ from: final + 1, to: head.number }, progress)
    }
    const searched = progress.searched ?? { from: final + 1, to: final }
    const bottom = await this.#bottom(progress, searched)
    if (searched.from > bottom.number) await this.#searchDownwards(bottom.progress, searched, bottom.number)
    else await this.#endWithoutKeys(progress, head.number, missing)
    return []
  }

  /** Returns the configured block, or else the deployment block and, once that is reached, 0. */
  async #bottom(progress: KeyProgress, { from, to }: BlockRange): Promise<{ number: number; progress: KeyProgress }> {
    const configured = this.#deps.dexes.find(({ factory }) => factory === this.#manager)?.deploymentBlock
    if (configured !== undefined) return { number: configured, progress }
    const floor = progress.floor ?? (await findDeploymentBlock(this.#deps.chain, this.#manager, to))
    return { number: from > floor ? floor : 0, progress: { ...progress, floor } }
  }

  async #searchUpwards(progress: KeyProgress, { from, to }: BlockRange, final: number): Promise<void> {
    const windows = Array.from({ length: WINDOWS }, (_, index) => {
      const first = to + 1 + index * WINDOW_BLOCKS
      return { from: first, to: Math.min(final, first + WINDOW_BLOCKS - 1) }
    })
    await this.#searchWindows(progress, windows, (window) => ({ from, to: window.to }))
  }

  async #searchDownwards(progress: KeyProgress, { from, to }: BlockRange, bottom: number): Promise<void> {
    const windows = Array.from({ length: WINDOWS }, (_, index) => {
      const last = from - 1 - index * WINDOW_BLOCKS
      return { from: Math.max(bottom, last - WINDOW_BLOCKS + 1), to: last }
    })
    await this.#searchWindows(progress, windows, (window) => ({ from: window.from, to }))
  }

  /** Reads windows in parallel and stores them in order, up to the first failure. */
  async #searchWindows(
    progress: KeyProgress,
    windows: readonly BlockRange[],
    searchedWith: (window: BlockRange) => BlockRange,
  ): Promise<void> {
    const parts = windows
      .filter(({ from, to }) => from <= to)
      .map((window) => ({ window, keys: this.#read(window, progress) }))
    for (const { keys } of parts) keys.catch(() => undefined)
    let was = progress
    for (const { window, keys } of parts) {
      const now = { ...progress, searched: searchedWith(window) }
      const found = { manager: this.#manager, was, now, keys: await keys }
      if (!(await this.#deps.keyStore.saveKeys(found))) return
      was = now
    }
  }

  async #read({ from, to }: BlockRange, { rounds }: KeyProgress): Promise<FoundKeys> {
    const { chain, dexes } = this.#deps
    const filter = { addresses: [this.#manager], topics: [this.#topic], from, to, secondOpinion: rounds % 2 === 1 }
    const logs = await chain.logsOf(filter)
    return logs.flatMap((log): FoundKeys => {
      const event = this.#decoder?.(log)
      const key = event ? keyInEvent(event) : null
      if (!event || key === null) return []
      const { value } = provePool({ pool: event.pool, family: event.family, events: [], key }, dexes).next()
      return value && 'address' in value ? [[event.pool, key]] : []
    })
  }

  /**
   * Every pool was created with a log, so the nodes must have left logs out. Begins a new round once the chain has
   * grown enough.
   * @throws KeysNotFound until then
   */
  async #endWithoutKeys(progress: KeyProgress, head: number, missing: ReadonlySet<PoolAddress>): Promise<void> {
    const { inVainAt, rounds } = progress
    const save = (now: KeyProgress) =>
      this.#deps.keyStore.saveKeys({ manager: this.#manager, was: progress, now, keys: [] })
    const pause = AGAIN_AFTER_BLOCKS * 2 ** Math.min(rounds, MAX_DOUBLINGS)
    if (inVainAt !== null && head - inVainAt >= pause) {
      await save({ ...progress, searched: null, inVainAt: null, rounds: rounds + 1 })
      return
    }
    if (inVainAt === null) await save({ ...progress, inVainAt: head })
    throw new KeysNotFound(this.#manager, [...missing])
  }
}

export interface KeyStore {
  networkRow(): Promise<{ finalNumber: number | null } | null>
  poolKeys(pools: readonly PoolAddress[]): Promise<Map<PoolAddress, PoolKey>>
  keyProgress(manager: Address): Promise<KeyProgress>
  /** Returns false if another process has searched in the meantime. */
  saveKeys(found: { manager: Address; was: KeyProgress; now: KeyProgress; keys: FoundKeys }): Promise<boolean>
  /** Returns false if another process is running a step. */
  searchAlone(step: () => Promise<void>): Promise<boolean>
}

/** Treats every block as final. */
export function memoryKeyStore(): KeyStore {
  const keys = new Map<PoolAddress, PoolKey>()
  const progress = new Map<Address, KeyProgress>()
  return {
    networkRow: async () => ({ finalNumber: Number.MAX_SAFE_INTEGER }),
    async poolKeys(pools) {
      return new Map(
        pools.flatMap((pool) => {
          const key = keys.get(pool)
          return key === undefined ? [] : [[pool, key] as const]
        }),
      )
    },
    async keyProgress(manager) {
      return progress.get(manager) ?? { searched: null, floor: null, inVainAt: null, rounds: 0 }
    },
    async saveKeys(found) {
      for (const [pool, key] of found.keys) keys.set(pool, key)
      progress.set(found.manager, found.now)
      return true
    },
    async searchAlone(step) {
      await step()
      return true
    },
  }
}

/**
 * Bisects for a contract's deployment block. Returns 0 if the node keeps no state that old. The result may be too high,
 * because some nodes return "no code" for pruned states, so never conclude that nothing lies below it.
 */
async function findDeploymentBlock(chain: SearchedChain, contract: Address, head: number): Promise<number> {
  if ((await chain.hasCode(contract, 0)) !== false) return 0
  let without = 0
  let present = head
  while (present - without > 1) {
    const middle = without + Math.floor((present - without) / 2)
    const isThere = await chain.hasCode(contract, middle)
    if (isThere === null) return 0
    if (isThere) present = middle
    else without = middle
  }
  return present
}
