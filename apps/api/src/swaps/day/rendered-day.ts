import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DAY_S, MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { ListedNetwork, Reader } from '@dexfeed/store'
import { LRUCache } from 'lru-cache'
import { notNow } from '../../http/http-failure.ts'
import type { Changes } from '../../service/change-feed.ts'
import { endsInTime } from '../../service/ends-in-time.ts'
import { type CellsByNetwork, type List, type ListState, makeList, type Selection, selectedCells } from './list.ts'
import { MergedCells } from './merged-cells.ts'
import { NetworkRenderer } from './network-renderer.ts'
import type { RowStore } from './row-store.ts'

const GAP_MS = SECOND
/** Without a change, unused files are deleted after this time. */
const IDLE_MS = 10 * MINUTE
const FRESH_MS = 20
/** A request waits this long for new rows, then gets the previous list. */
const PATIENCE_MS = SECOND
/** The lists of this second, of each network and of all. */
const MAX_LISTS = 8

export interface RenderedDayOptions {
  reader: { listStamps: Reader['listStamps']; listSnapshot: Reader['listSnapshot'] }
  store: RowStore
  changes: Changes
  log: Logger
  now: () => number
  freshMs?: number
  patienceMs?: number
  onLook?: (networks: readonly ListedNetwork[]) => void
}

/**
 * Holds the listed rows of the last day. A request gets a list of one moment, with the last commit before it unless
 * rendering takes too long.
 */
export class RenderedDay {
  readonly store: RowStore
  readonly firstRound: Promise<void>
  readonly #options: RenderedDayOptions
  readonly #renderers = new Map<NetworkName, NetworkRenderer>()
  readonly #merged: MergedCells
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #changed = new AbortController()
  #isHealthy = true
  #state: ListState | null = null
  #last: { networks: readonly ListedNetwork[]; at: number } | null = null
  #looking: Promise<void> = Promise.resolve()
  #nextLook: Promise<readonly ListedNetwork[]> | null = null
  #rendering: Promise<void> = Promise.resolve()
  /** Of the current state, for all clients. */
  readonly #lists = new LRUCache<string, Promise<List>>({ max: MAX_LISTS })

  constructor(options: RenderedDayOptions) {
    this.#options = options
    this.store = options.store
    this.#merged = new MergedCells(options.store)
    const unsubscribe = options.changes.subscribe(() => this.#changed.abort())
    this.firstRound = this.#round()
    this.#loop = this.#keepUp().finally(unsubscribe)
  }

  /** Returns the rows of the current moment. @throws StoreError; HttpFailure 503 before the first list is rendered */
  async current(since: number): Promise<ListState> {
    const networks = await this.#look()
    if (!this.#isCurrent(networks, since)) {
      const refreshed = endsInTime(this.#refresh(networks, since), this.#options.patienceMs ?? PATIENCE_MS)
      await refreshed.catch((error: unknown) => {
        // While the disk rejects new rows, readers get the previous list.
        if (this.store.fault === null) throw error
      })
    }
    if (this.#state === null) throw notNow('the list is being put together', 5)
    return this.#state
  }

  listed(network: NetworkName): ListedNetwork | undefined {
    return this.#state?.networks.find((listed) => listed.network === network)
  }

  list(state: ListState, selection: Selection): Promise<List> {
    const { network, since, after } = selection
    const make = () => makeList(selectedCells(state, selection), selection, this.store)
    if (after !== undefined || state.cells !== this.#state?.cells) return make()
    const key = `${network} ${since}`
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const list = make()
    this.#lists.set(key, list)
    list.catch(() => this.#lists.delete(key))
    return list
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the API ends'))
    this.#changed.abort()
    await this.#loop
    await this.#rendering.catch(ignore)
    await this.store.close()
  }

  /** Reads the networks' state after the call. One query runs at a time; callers that wait share the next one. */
  async #look(): Promise<readonly ListedNetwork[]> {
    const freshMs = this.#options.freshMs ?? FRESH_MS
    if (this.#last !== null && performance.now() - this.#last.at < freshMs) return this.#last.networks
    this.#nextLook ??= this.#looking.then(() => {
      this.#nextLook = null
      const look = this.#lookNow()
      this.#looking = look.then(ignore, ignore)
      return look
    })
    return this.#nextLook
  }

  async #lookNow(): Promise<readonly ListedNetwork[]> {
    const at = performance.now()
    const unknown = new Map([...this.#renderers].map(([network, renderer]) => [network, renderer.unknown]))
    const found = await this.#options.reader.listStamps(unknown)
    const networks = found.hasNewTokens ? found.networks.map((network) => ({ ...network, stamp: '' })) : found.networks
    this.#last = { networks, at }
    return networks
  }

  /** Returns whether the state has all rows since `since`. If so, stores the newer facts about the networks in it. */
  #isCurrent(networks: readonly ListedNetwork[], since: number): boolean {
    const state = this.#state
    if (state === null || state.since > since || state.networks.length !== networks.length) return false
    if (state.failures !== this.store.failures) return false
    if (state.networks.some(({ stamp }, at) => stamp !== networks[at]?.stamp)) return false
    // An equal state stays the same, so pages made from it are kept.
    if (!isDeepStrictEqual(state.networks, networks)) this.#state = { ...state, networks }
    return true
  }

  /** Renders what is new, one rendering at a time. A caller may need a further one after a running one. */
  async #refresh(networks: readonly ListedNetwork[], since: number): Promise<void> {
    const before = this.#rendering
    await before.catch(ignore)
    if (this.#isCurrent(networks, since)) return
    if (this.#rendering === before) this.#rendering = this.#render(since)
    return this.#rendering
  }

  async #render(since: number): Promise<void> {
    const { signal } = this.#stopping
    signal.throwIfAborted()
    const { failures } = this.store
    this.store.hasFailed = false
    const cells: CellsByNetwork = new Map()
    const networks = await this.#options.reader.listSnapshot(signal, async (snapshot) => {
      for (const network of snapshot.networks) {
        const renderer = this.#renderers.get(network.network) ?? new NetworkRenderer(this.store)
        this.#renderers.set(network.network, renderer)
        cells.set(network.network, await renderer.render(snapshot, network, since, signal))
      }
      return snapshot.networks
    })
    cells.set(undefined, await this.#merged.merge(cells.values()))
    this.#state = { networks, since, cells, failures }
    this.#lists.clear()
  }

  /** Renders each change immediately, so that requests find the list ready. */
  async #keepUp(): Promise<void> {
    const { signal } = this.#stopping
    await this.firstRound
    while (!signal.aborted) {
      await delay(GAP_MS, undefined, { signal }).catch(ignore)
      if (this.#isHealthy) await delay(IDLE_MS, undefined, { signal: this.#changed.signal }).catch(ignore)
      if (!signal.aborted) await this.#round()
    }
  }

  async #round(): Promise<void> {
    const { log, now, onLook } = this.#options
    // The round may miss changes from here on.
    this.#changed = new AbortController()
    try {
      const networks = await this.#look()
      onLook?.(networks)
      const since = now() - DAY_S
      if (!this.#isCurrent(networks, since)) await this.#refresh(networks, since)
      if (this.store.fault !== null) throw this.store.fault
      if (!this.#isHealthy) log.info('rendering the list of swaps works again')
      this.#isHealthy = true
    } catch (error) {
      const { fault } = this.store
      if (this.#isHealthy && !this.#stopping.signal.aborted)
        log.warn(
          { err: fault ?? error },
          fault === null ? 'cannot render the list of swaps' : 'the disk takes no more rows of lists (LIST_CACHE_DIR)',
        )
      this.#isHealthy = false
    }
    // Also after a failure: a full disk may be full of files that can be deleted.
    await this.#deleteUnused()
  }

  async #deleteUnused(): Promise<void> {
    const rendered = Array.from(this.#renderers.values(), ({ cells }) => [...cells])
    const used = [this.#merged.cells, ...rendered, ...(this.#state?.cells.values() ?? [])].flat()
    await this.store.deleteUnused(used.flatMap(({ segment }) => segment ?? []))
  }
}

function ignore(): void {}
