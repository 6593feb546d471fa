import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { ListedNetwork, Reader } from '@dexfeed/store'
import { LRUCache } from 'lru-cache'
import { notNow } from '../../http/http-failure.ts'
import type { Changes } from '../../service/change-feed.ts'
import { type Cell, type CellStore, filesOf, type RowFile } from './cell-store.ts'
import { type List, makeList, type Selection } from './list.ts'
import { MergedCells } from './merged-cells.ts'
import { NetworkRenderer } from './network-renderer.ts'

const GAP_MS = SECOND
/** Without a change, files of lists that nobody reads any more are deleted after this time. */
const IDLE_MS = 10 * MINUTE
const FRESH_MS = 20
/** A request waits this long for new rows, then gets the previous list. */
const PATIENCE_MS = SECOND
/** Kept for all clients: the lists of this second, of each network and of all. */
const MAX_LISTINGS = 8

export interface RenderedDayOptions {
  reader: { listStamps: Reader['listStamps']; listSnapshot: Reader['listSnapshot'] }
  store: CellStore
  changes: Changes
  log: Logger
  now: () => number
  lengthS: number
  freshMs?: number
  patienceMs?: number
  onLook?: (networks: readonly ListedNetwork[]) => void
}

interface FileUser {
  files: ReadonlySet<RowFile>
}

export interface ListState extends FileUser {
  id: string
  networks: readonly ListedNetwork[]
  /** Seconds: the rows are complete from here on. */
  since: number
  /** Of each network, and of all together (undefined). */
  cells: ReadonlyMap<NetworkName | undefined, readonly Cell[]>
}

interface Listing extends FileUser {
  list: Promise<List>
}

/**
 * Holds the listed rows of the last day. A request gets a list of one moment, with the last commit before it unless
 * rendering takes too long.
 */
export class RenderedDay {
  readonly store: CellStore
  readonly firstRound: Promise<boolean>
  readonly #options: RenderedDayOptions
  readonly #renderers = new Map<NetworkName, NetworkRenderer>()
  readonly #merged: MergedCells
  readonly #uses = new Set<{ user: FileUser }>()
  readonly #listings = new LRUCache<string, Listing>({ max: MAX_LISTINGS })
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #changed = new AbortController()
  #isHealthy = true
  #state: ListState | null = null
  #last: { networks: readonly ListedNetwork[]; at: number } | null = null
  #looking: Promise<void> = Promise.resolve()
  #nextLook: Promise<readonly ListedNetwork[]> | null = null
  #rendering: Promise<void> = Promise.resolve()

  constructor(options: RenderedDayOptions) {
    this.#options = options
    this.store = options.store
    this.#merged = new MergedCells(options.store)
    const unsubscribe = options.changes.subscribe(() => this.#changed.abort())
    this.firstRound = this.#round()
    this.#loop = this.#keepUp().finally(unsubscribe)
  }

  /**
   * Calls `work` with the current state; its files stay until it ends.
   *
   * @throws StoreError; HttpFailure 503 before the first list is rendered
   */
  async withState<T>(since: number, work: (state: ListState) => Promise<T>): Promise<T> {
    await this.#bringUpToDate(since)
    const state = this.#state ?? notYet()
    return this.#using(state, () => work(state))
  }

  /** Calls `work` with the current list, and the networks that it is of. Throws like `withState`. */
  async withList<T>(
    selection: Selection,
    work: (list: List, networks: readonly ListedNetwork[]) => Promise<T>,
  ): Promise<T> {
    await this.#bringUpToDate(selection.since)
    const state = this.#state ?? notYet()
    const networks = networksOf(state, selection.network)
    const listing = this.#listing(state, selection)
    return this.#using(listing, async () => work(await listing.list, networks))
  }

  listed(network: NetworkName): ListedNetwork | undefined {
    return this.#state?.networks.find((listed) => listed.network === network)
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the API ends'))
    this.#changed.abort()
    await this.#loop
    await this.#rendering.catch(ignore)
    await this.store.close()
  }

  async #using<T>(user: FileUser, work: () => Promise<T>): Promise<T> {
    const use = { user }
    this.#uses.add(use)
    return work().finally(() => this.#uses.delete(use))
  }

  #listing({ cells, files }: ListState, selection: Selection): Listing {
    const { network, since, after } = selection
    const key = `${network} ${since}`
    const known = after === undefined ? this.#listings.get(key) : undefined
    if (known !== undefined) return known
    const log = this.store.log()
    const made = makeList(cells.get(network) ?? [], selection, this.store, log).then((list) => {
      listing.files = list.files
      return list
    })
    const listing: Listing = { files, list: made.finally(() => log.end()) }
    if (after === undefined) this.#listings.set(key, listing)
    listing.list.catch(() => this.#listings.delete(key))
    return listing
  }

  async #bringUpToDate(since: number): Promise<void> {
    const networks = await this.#look()
    if (this.#isCurrent(networks, since)) return
    const rendering = this.#refresh(networks, since)
    rendering.catch(ignore)
    await Promise.race([rendering, delay(this.#options.patienceMs ?? PATIENCE_MS, undefined, { ref: false })])
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

  /** Returns whether the state has all rows since `since`. If so, it gets what else is known of the networks. */
  #isCurrent(networks: readonly ListedNetwork[], since: number): boolean {
    const state = this.#state
    if (state === null || state.since > since || state.networks.length !== networks.length) return false
    if (state.networks.some(({ stamp }, at) => stamp !== networks[at]?.stamp)) return false
    if (state.networks !== networks) this.#state = { ...state, id: randomUUID(), networks }
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
    const cells = new Map<NetworkName | undefined, readonly Cell[]>()
    const networks = await this.#options.reader.listSnapshot(signal, async (snapshot) => {
      for (const network of snapshot.networks) {
        const renderer = this.#renderers.get(network.network) ?? new NetworkRenderer(this.store)
        this.#renderers.set(network.network, renderer)
        cells.set(network.network, await renderer.render(snapshot, network, since, signal))
      }
      return snapshot.networks
    })
    for (const [network, renderer] of this.#renderers) {
      if (cells.has(network)) continue
      renderer.close()
      this.#renderers.delete(network)
    }
    cells.set(undefined, await this.#merged.merge(cells.values()))
    const files = filesOf([...cells.values()].flat())
    this.#state = { id: randomUUID(), networks, since, cells, files }
    this.#listings.clear()
  }

  /** Renders each change immediately, so that requests find the list ready. */
  async #keepUp(): Promise<void> {
    const { signal } = this.#stopping
    for (let round = this.firstRound; !signal.aborted; round = this.#round()) {
      const isHealthy = await round
      await delay(GAP_MS, undefined, { signal }).catch(ignore)
      if (isHealthy) await delay(IDLE_MS, undefined, { signal: this.#changed.signal }).catch(ignore)
      // The next round may miss changes from here on.
      this.#changed = new AbortController()
    }
  }

  async #round(): Promise<boolean> {
    const { now, lengthS, log, onLook } = this.#options
    try {
      const networks = await this.#look()
      onLook?.(networks)
      const since = now() - lengthS
      if (!this.#isCurrent(networks, since)) await this.#refresh(networks, since)
      if (!this.#isHealthy) log.info('rendering the list of swaps works again')
      this.#isHealthy = true
    } catch (error) {
      if (this.#isHealthy && !this.#stopping.signal.aborted) log.warn({ err: error }, 'cannot render the list of swaps')
      this.#isHealthy = false
    }
    // Also after a failure: a full disk may be full of files that can be deleted.
    await this.#deleteUnused()
    return this.#isHealthy
  }

  async #deleteUnused(): Promise<void> {
    const users: FileUser[] = [...this.#renderers.values(), this.#merged, ...this.#listings.values()]
    for (const { user } of this.#uses) users.push(user)
    if (this.#state !== null) users.push(this.#state)
    await this.store.keepOnly(new Set(users.flatMap(({ files }) => [...files])))
  }
}

export function networksOf({ networks }: ListState, only: NetworkName | undefined): readonly ListedNetwork[] {
  return only === undefined ? networks : networks.filter(({ network }) => network === only)
}

function notYet(): never {
  throw notNow('the list is being put together', 5)
}

function ignore(): void {}
