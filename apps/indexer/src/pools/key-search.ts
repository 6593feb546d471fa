import { once } from 'node:events'
import { systemClock } from '@dexfeed/chain'
import { type Address, type MissingKey, type PoolAddress, type PoolKey, SECOND } from '@dexfeed/dex'
import type { SleepClock } from '../loops/loop.ts'
import { ManagerSearch, type SearchDependencies } from './manager-search.ts'

const POLL_MS = SECOND
/** Pause after a failure. A new request ends it. */
const REST_MS = 30 * SECOND

export interface RequestedKey extends MissingKey {
  pool: PoolAddress
}

interface ManagerRequests {
  search: ManagerSearch
  missing: Set<PoolAddress>
  waiting: { pools: Set<PoolAddress>; done(): void; failed(reason: unknown): void }[]
  isRunning: boolean
  wake: AbortController
}

/**
 * Finds the keys of managers' pools in the logs that created them, in the background. One process at a time reads the
 * chain and stores all keys it finds, so no block is read twice.
 */
export class KeySearch {
  readonly #deps: SearchDependencies
  readonly #ended: AbortSignal | undefined
  readonly #clock: SleepClock
  readonly #managers = new Map<Address, ManagerRequests>()
  readonly #found = new Map<PoolAddress, PoolKey>()

  /** @param ended stops the background work; without it, a failure ends the search until the next request */
  constructor(dependencies: SearchDependencies, ended?: AbortSignal, clock: SleepClock = systemClock) {
    this.#deps = dependencies
    this.#ended = ended
    this.#clock = clock
  }

  find(pool: PoolAddress): PoolKey | undefined {
    return this.#found.get(pool)
  }

  async loadStored(pools: Iterable<PoolAddress>): Promise<void> {
    const unknown = [...pools].filter((pool) => !this.#found.has(pool))
    if (unknown.length === 0) return
    for (const [pool, key] of await this.#deps.keyStore.poolKeys(unknown)) this.#found.set(pool, key)
  }

  request(keys: readonly RequestedKey[]): void {
    for (const requests of this.#requestsFor(keys)) this.#start(requests)
  }

  /**
   * Waits until all keys are found.
   * @throws KeysNotFound, or an error from the chain or the key store, once no search continues; or the signal's reason
   */
  async waitFor(keys: readonly RequestedKey[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const waiting = [...this.#requestsFor(keys)].map((requests) => {
      return new Promise<void>((done, failed) => {
        const pools = new Set(keys.flatMap(({ pool }) => (requests.missing.has(pool) ? [pool] : [])))
        requests.waiting.push({ pools, done, failed })
        this.#start(requests)
      })
    })
    const over = new AbortController()
    const aborted = once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted())
    const ended = Promise.allSettled(waiting).then(() => Promise.all(waiting))
    await Promise.race([ended, aborted]).finally(() => over.abort())
  }

  #requestsFor(keys: readonly RequestedKey[]): Set<ManagerRequests> {
    const managers = new Set<ManagerRequests>()
    for (const { pool, keyLog } of keys) {
      if (this.#found.has(pool)) continue
      const requests = this.#managers.get(keyLog.address) ?? {
        search: new ManagerSearch(this.#deps, keyLog),
        missing: new Set<PoolAddress>(),
        waiting: [],
        isRunning: false,
        wake: new AbortController(),
      }
      this.#managers.set(keyLog.address, requests)
      requests.missing.add(pool)
      managers.add(requests)
    }
    return managers
  }

  #start(requests: ManagerRequests): void {
    requests.wake.abort()
    if (!requests.isRunning) void this.#run(requests)
  }

  async #run(requests: ManagerRequests): Promise<void> {
    requests.isRunning = true
    while (requests.missing.size > 0) {
      requests.wake = new AbortController()
      await this.#search(requests).catch((error: unknown) => {
        for (const { failed } of requests.waiting.splice(0)) failed(error)
        if (this.#ended === undefined || this.#ended.aborted) requests.missing.clear()
      })
      requests.search.endRun()
      if (requests.missing.size > 0 && this.#ended !== undefined) {
        await this.#clock.sleep(REST_MS, AbortSignal.any([this.#ended, requests.wake.signal]))
      }
    }
    requests.isRunning = false
  }

  async #search(requests: ManagerRequests): Promise<void> {
    const { search, missing } = requests
    for (;;) {
      await this.loadStored(missing)
      this.#settle(requests)
      if (missing.size === 0) return
      this.#ended?.throwIfAborted()
      const isOurs = await this.#deps.keyStore.searchAlone(async () => {
        for (const [pool, key] of await search.step(missing)) if (missing.has(pool)) this.#found.set(pool, key)
      })
      if (!isOurs) await this.#clock.sleep(POLL_MS, this.#ended)
    }
  }

  #settle(requests: ManagerRequests): void {
    for (const pool of requests.missing) if (this.#found.has(pool)) requests.missing.delete(pool)
    requests.waiting = requests.waiting.filter(({ pools, done }) => {
      const isOpen = [...pools].some((pool) => !this.#found.has(pool))
      if (!isOpen) done()
      return isOpen
    })
  }
}
