import type { Chain } from '@dexfeed/chain'
import {
  type Address,
  type BlockRange,
  type Dex,
  decodersOf,
  type EventDecoder,
  type Hex,
  type KeyWanted,
  keyToldBy,
  type PoolAddress,
  type PoolKey,
  provePool,
} from '@dexfeed/dex'
import type { IndexerStore, KeyProgress, NetworkRow } from '@dexfeed/store'

/** Blocks of one question; the chain asks it in as many parts as its nodes want. */
const WINDOW_BLOCKS = 50_000
/** Windows that are asked side by side, and make a step. */
const WINDOWS = 4
/**
 * By how many blocks the chain must grow before all of history is searched again after a search in vain; twice as many
 * after each further one, this often.
 */
const AGAIN_AFTER_BLOCKS = 5_000
const MAX_DOUBLINGS = 3

/** The nodes showed no log that must be there. It is looked for anew later. */
export class KeysNotFound extends Error {
  override readonly name = 'KeysNotFound'
  readonly retryable = true

  constructor(manager: Address, pools: readonly PoolAddress[]) {
    super(`no log of the pool manager ${manager} tells the keys of ${pools.map((pool) => pool.slice(42)).join(', ')}`)
  }
}

/** Nothing can be searched before it is known what is final. */
class NothingFinal extends Error {
  override readonly name = 'NothingFinal'
  readonly retryable = true

  constructor() {
    super('keys of pools are looked for once the network has a final block')
  }
}

export interface SearchDependencies {
  chain: Pick<Chain, 'head' | 'logsOf' | 'hasCode'>
  dexes: readonly Dex[]
  keyStore: KeyStore
}

type FoundKeys = [PoolAddress, PoolKey][]

/**
 * Walks through the logs of one manager that made its pools, step by step: what became final since, then what is not
 * final yet, then older blocks, down to the manager's deployment. Progress is kept for final blocks alone; what a
 * younger block tells is true by the pool's id, wherever that block ends, and looked for anew by who comes later.
 */
export class ManagerSearch {
  readonly #deps: SearchDependencies
  readonly #manager: Address
  readonly #topic: Hex
  readonly #decoder: EventDecoder | undefined
  /** The pools for which the blocks that are not final yet were looked through in this run. */
  #searchedFor: ReadonlySet<PoolAddress> = new Set()

  constructor(dependencies: SearchDependencies, { address, topic }: KeyWanted['keyLog']) {
    this.#deps = dependencies
    this.#manager = address
    this.#topic = topic
    this.#decoder = decodersOf(dependencies.dexes.map(({ kind }) => kind)).get(topic)
  }

  /** To be called when a run of steps is over: the next one looks at the newest blocks again. */
  endRun(): void {
    this.#searchedFor = new Set()
  }

  /**
   * One step. To be taken by one process at a time.
   *
   * @returns keys of blocks that are not final, which are not stored; the others are on the keyStore
   * @throws KeysNotFound when everything was searched, or what chain and keyStore throw
   */
  async step(wanted: ReadonlySet<PoolAddress>): Promise<FoundKeys> {
    const { chain, keyStore } = this.#deps
    const [progress, row, head] = await Promise.all([
      keyStore.keyProgress(this.#manager),
      keyStore.networkRow(),
      chain.head(),
    ])
    if (row?.finalNumber == null) throw new NothingFinal()
    const final = Math.min(row.finalNumber, head.number)
    const isLookedFor = [...wanted].every((pool) => this.#searchedFor.has(pool))
    if (progress.searched !== null && progress.searched.to < final) {
      await this.#searchUpwards(progress, progress.searched, final)
      return []
    }
    if (!isLookedFor && final < head.number) {
      this.#searchedFor = new Set(wanted)
      return this.#read({ from: final + 1, to: head.number }, progress)
    }
    const searched = progress.searched ?? { from: final + 1, to: final }
    const bottom = await this.#bottom(progress, searched)
    if (searched.from > bottom.number) await this.#searchDownwards(bottom.progress, searched, bottom.number)
    else await this.#endWithoutKeys(progress, head.number, wanted)
    return []
  }

  /** Where to search down to: the block that is configured, else the one that is found, and once that is reached 0. */
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

  /** Reads windows side by side and stores them one after the other, as far as they can be read. */
  async #searchWindows(
    progress: KeyProgress,
    windows: readonly BlockRange[],
    searchedWith: (window: BlockRange) => BlockRange,
  ): Promise<void> {
    const parts = windows
      .filter(({ from, to }) => from <= to)
      .map((window) => ({ window, keys: this.#read(window, progress) }))
    // The one that is awaited tells its failure; the others' are dropped with it.
    for (const { keys } of parts) keys.catch(() => undefined)
    let was = progress
    for (const { window, keys } of parts) {
      const now = { ...progress, searched: searchedWith(window) }
      const found = { manager: this.#manager, was, now, keys: await keys }
      if (!(await this.#deps.keyStore.saveKeys(found))) return
      was = now
    }
  }

  /** The keys of a range of blocks that are those of their pools. After a search in vain, another endpoint is asked. */
  async #read({ from, to }: BlockRange, { rounds }: KeyProgress): Promise<FoundKeys> {
    const { chain, dexes } = this.#deps
    const filter = { addresses: [this.#manager], topics: [this.#topic], from, to, secondOpinion: rounds % 2 === 1 }
    const logs = await chain.logsOf(filter)
    return logs.flatMap((log): FoundKeys => {
      const event = this.#decoder?.(log)
      const key = event ? keyToldBy(event) : null
      if (!event || key === null) return []
      const { value } = provePool({ pool: event.pool, family: event.family, events: [], key }, dexes).next()
      return value && 'address' in value ? [[event.pool, key]] : []
    })
  }

  /** The manager's pools were all made by a log: what the nodes showed is not all. */
  async #endWithoutKeys(progress: KeyProgress, head: number, wanted: ReadonlySet<PoolAddress>): Promise<void> {
    const { inVainAt, rounds } = progress
    const save = (now: KeyProgress) =>
      this.#deps.keyStore.saveKeys({ manager: this.#manager, was: progress, now, keys: [] })
    const pause = AGAIN_AFTER_BLOCKS * 2 ** Math.min(rounds, MAX_DOUBLINGS)
    if (inVainAt !== null && head - inVainAt >= pause) {
      await save({ ...progress, searched: null, inVainAt: null, rounds: rounds + 1 })
      return
    }
    if (inVainAt === null) await save({ ...progress, inVainAt: head })
    throw new KeysNotFound(this.#manager, [...wanted])
  }
}

/** Where the search for keys keeps what it met: in the database, for all processes of a network, or in memory. */
export interface KeyStore extends Pick<IndexerStore, 'poolKeys' | 'keyProgress' | 'saveKeys' | 'searchAlone'> {
  networkRow(): Promise<Pick<NetworkRow, 'finalNumber'> | null>
}

/** A keyStore of one process that takes every block for final: for who asks once and goes. */
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
 * The block that deployed a contract, as far as the node's states tell it; 0 where it keeps none so old. What is found
 * may be too high and never proves that nothing lies below: some nodes say of a state that they no longer keep that it
 * holds no code. That a contract has code is believed: at worst, of a node that always shows its latest state, the
 * answer is too low.
 *
 * @param head a block at which the contract is there
 */
export async function findDeploymentBlock(
  chain: Pick<Chain, 'hasCode'>,
  contract: Address,
  head: number,
): Promise<number> {
  if ((await chain.hasCode(contract, 0)) !== false) return 0
  let [without, present] = [0, head]
  while (present - without > 1) {
    const middle = without + Math.floor((present - without) / 2)
    const isThere = await chain.hasCode(contract, middle)
    if (isThere === null) return 0
    if (isThere) present = middle
    else without = middle
  }
  return present
}
