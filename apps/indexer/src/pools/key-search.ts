import { once } from 'node:events'
import { type Clock, systemClock } from '@dexfeed/chain'
import { type Address, type KeyWanted, type PoolAddress, type PoolKey, SECOND } from '@dexfeed/dex'
import { ManagerSearch, type SearchDependencies } from './manager-search.ts'

/** How long a process waits that wants keys while another one searches, before it looks what that one has found. */
const POLL_MS = SECOND
/** How long the search rests after a failure, unless somebody wants keys meanwhile. */
const REST_MS = 30 * SECOND

export interface RequestedKey extends KeyWanted {
  pool: PoolAddress
}

/** What this process wants of a manager's pools. */
interface ManagerRequests {
  search: ManagerSearch
  wanted: Set<PoolAddress>
  waiting: { pools: Set<PoolAddress>; done(): void; failed(reason: unknown): void }[]
  /** Whether it is looked for. */
  isRunning: boolean
  /** Ends the rest after a failure. */
  wake: AbortController
}

/**
 * Finds the keys of managers' pools in the logs that made them. What is met is kept on the keyStore, all of it and for all
 * processes, of which one at a time reads the chain: no block is asked for twice, however many keys are wanted one after
 * the other, by whom, or after how many restarts. It goes on in the background, and the chain lets live questions go
 * first.
 */
export class KeySearch {
  readonly #deps: SearchDependencies
  readonly #ended: AbortSignal | undefined
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #managers = new Map<Address, ManagerRequests>()
  /** Of the pools that this process wanted. */
  readonly #found = new Map<PoolAddress, PoolKey>()

  /** @param ended stops what runs in the background; without it the search ends with a failure until it is wanted again */
  constructor(dependencies: SearchDependencies, ended?: AbortSignal, clock: Pick<Clock, 'sleep'> = systemClock) {
    this.#deps = dependencies
    this.#ended = ended
    this.#clock = clock
  }

  /** The key of a pool that was wanted or asked for, if it is known. */
  find(pool: PoolAddress): PoolKey | undefined {
    return this.#found.get(pool)
  }

  /** Takes those of these keys that are on the keyStore. */
  async loadStored(pools: Iterable<PoolAddress>): Promise<void> {
    const unknown = [...pools].filter((pool) => !this.#found.has(pool))
    if (unknown.length === 0) return
    for (const [pool, key] of await this.#deps.keyStore.poolKeys(unknown)) this.#found.set(pool, key)
  }

  /** Begins, or goes on, to look for these keys. */
  request(keys: readonly RequestedKey[]): void {
    for (const wants of this.#requestsFor(keys)) this.#start(wants)
  }

  /**
   * Resolves when all these keys are found.
   *
   * @throws KeysNotFound, what chain and keyStore throw, or the signal's reason once it aborts; the search itself goes on
   */
  async waitFor(keys: readonly RequestedKey[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const waiting = [...this.#requestsFor(keys)].map((wants) => {
      return new Promise<void>((done, failed) => {
        wants.waiting.push({ pools: this.#missingOf(keys, wants), done, failed })
        this.#start(wants)
      })
    })
    const over = new AbortController()
    const aborted = once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted())
    await Promise.race([Promise.all(waiting), aborted]).finally(() => over.abort())
  }

  /** Notes what of this is not found yet; the managers of it. */
  #requestsFor(keys: readonly RequestedKey[]): Set<ManagerRequests> {
    const managers = new Set<ManagerRequests>()
    for (const { pool, keyLog } of keys) {
      if (this.#found.has(pool)) continue
      const wants = this.#managers.get(keyLog.address) ?? {
        search: new ManagerSearch(this.#deps, keyLog),
        ...{ wanted: new Set<PoolAddress>(), waiting: [], isRunning: false, wake: new AbortController() },
      }
      this.#managers.set(keyLog.address, wants)
      wants.wanted.add(pool)
      managers.add(wants)
    }
    return managers
  }

  #missingOf(keys: readonly RequestedKey[], { wanted }: ManagerRequests): Set<PoolAddress> {
    return new Set(keys.flatMap(({ pool }) => (wanted.has(pool) ? [pool] : [])))
  }

  #start(wants: ManagerRequests): void {
    wants.wake.abort()
    if (!wants.isRunning) void this.#run(wants)
  }

  /** Looks for what is wanted until all is found; after failures again, until the search ends. */
  async #run(wants: ManagerRequests): Promise<void> {
    wants.isRunning = true
    while (wants.wanted.size > 0) {
      wants.wake = new AbortController()
      await this.#search(wants).catch((error: unknown) => {
        for (const { failed } of wants.waiting.splice(0)) failed(error)
        if (this.#ended === undefined || this.#ended.aborted) wants.wanted.clear()
      })
      wants.search.endRun()
      if (wants.wanted.size > 0 && this.#ended !== undefined) {
        await this.#clock.sleep(REST_MS, AbortSignal.any([this.#ended, wants.wake.signal]))
      }
    }
    wants.isRunning = false
  }

  /** Takes step after step while anything is wanted. */
  async #search(wants: ManagerRequests): Promise<void> {
    const { search, wanted } = wants
    for (;;) {
      await this.loadStored(wanted)
      this.#settle(wants)
      if (wanted.size === 0) return
      this.#ended?.throwIfAborted()
      const isOurs = await this.#deps.keyStore.searchAlone(async () => {
        for (const [pool, key] of await search.step(wanted)) if (wanted.has(pool)) this.#found.set(pool, key)
      })
      if (!isOurs) await this.#clock.sleep(POLL_MS, this.#ended)
    }
  }

  #settle(wants: ManagerRequests): void {
    for (const pool of wants.wanted) if (this.#found.has(pool)) wants.wanted.delete(pool)
    wants.waiting = wants.waiting.filter(({ pools, done }) => {
      const isOpen = [...pools].some((pool) => !this.#found.has(pool))
      if (!isOpen) done()
      return isOpen
    })
  }
}
