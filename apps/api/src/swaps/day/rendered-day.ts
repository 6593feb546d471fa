import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { ListedNetwork, ListSnapshot, Reader } from '@dexfeed/store'
import { notNow } from '../../http/http-failure.ts'
import type { Changes } from '../../service/change-feed.ts'
import { type ListPlan, planList } from './list/list-plan.ts'
import { cellsOf, type ListState, listCells, mergedName, type Selection, selectedDays } from './list/list-state.ts'
import { NetworkRenderer } from './network-day.ts'
import { compareBlocks, type RenderedBlock } from './rendered-block.ts'
import type { Segment, SegmentStore } from './segment-store.ts'

const GAP_MS = SECOND
const SWEEP_MS = 10 * MINUTE
const FRESH_MS = 20
/** A request waits this long for new rows, then gets the previous list. */
const PATIENCE_MS = SECOND

export interface RenderedDayOptions {
  reader: { listStamps: Reader['listStamps']; listSnapshot: Reader['listSnapshot'] }
  store: SegmentStore
  changes: Changes
  log: Logger
  now: () => number
  lengthS: number
  freshMs?: number
  patienceMs?: number
  onLook?: (networks: readonly ListedNetwork[]) => void
}

interface Standing {
  networks: readonly ListedNetwork[]
  at: number
}

/**
 * Holds the listed rows of the last day. A request gets a list of one moment, with the last commit before it unless
 * rendering takes too long.
 */
export class RenderedDay {
  readonly store: SegmentStore
  readonly firstRound: Promise<void>
  readonly #options: RenderedDayOptions
  readonly #renderers = new Map<NetworkName, NetworkRenderer>()
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #changed = new AbortController()
  #state: ListState | null = null
  #looking: Promise<void> | null = null
  #nextLook: Promise<Standing> | null = null
  #last: Standing | null = null
  #rendering: Promise<void> | null = null
  #plans = new Map<string, Promise<ListPlan>>()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(options: RenderedDayOptions) {
    this.#options = options
    this.store = options.store
    let onFirstRound = ignore
    this.firstRound = new Promise((resolve) => {
      onFirstRound = resolve
    })
    const unsubscribe = options.changes.subscribe(() => this.#changed.abort())
    this.#loop = this.#keepUp(onFirstRound).finally(unsubscribe)
  }

  /** Returns the rows of the current moment. @throws StoreError; HttpFailure 503 before the first list is rendered */
  async current(since: number): Promise<ListState> {
    const { networks } = await this.#look()
    if (this.#isCurrent(networks, since)) return this.#withNetworks(networks)
    const rendering = this.#refresh(networks, since)
    const done = await Promise.race([
      rendering.then(() => true),
      delay(this.#options.patienceMs ?? PATIENCE_MS, false, { ref: false }),
    ])
    if (done) return this.#state ?? this.#notYet()
    rendering.catch(() => undefined)
    return this.#state ?? this.#notYet()
  }

  listed(network: NetworkName): ListedNetwork | undefined {
    return this.#state?.days.find((day) => day.network.network === network)?.network
  }

  async plan(state: ListState, selection: Selection): Promise<ListPlan> {
    const networks = selectedDays(state, selection).map(({ network }) => network)
    if (selection.after !== undefined || state !== this.#state) return planList(state, selection, this.store)
    return { ...(await this.#planned(state, selection)), networks }
  }

  #planned(state: ListState, selection: Selection): Promise<ListPlan> {
    const key = `${selection.network} ${selection.since}`
    const known = this.#plans.get(key)
    if (known !== undefined) return known
    for (const old of this.#plans.keys()) if (!old.endsWith(` ${selection.since}`)) this.#plans.delete(old)
    const plan = planList(state, selection, this.store)
    this.#plans.set(key, plan)
    plan.catch(() => this.#plans.delete(key))
    return plan
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the API ends'))
    this.#changed.abort()
    await this.#loop
    await this.#rendering?.catch(() => undefined)
  }

  #notYet(): never {
    throw notNow('the list is being put together', 5)
  }

  /** Reads the networks' state after the call. One query runs at a time; callers that wait share the next one. */
  #look(): Promise<Standing> {
    const fresh = this.#options.freshMs ?? FRESH_MS
    if (this.#last !== null && performance.now() - this.#last.at < fresh) return Promise.resolve(this.#last)
    this.#nextLook ??= (this.#looking ?? Promise.resolve()).then(() => {
      this.#nextLook = null
      const looking = this.#lookNow()
      this.#looking = looking.then(ignore, ignore)
      return looking
    })
    return this.#nextLook
  }

  async #lookNow(): Promise<Standing> {
    const at = performance.now()
    const unknown = new Map([...this.#renderers].map(([network, renderer]) => [network, renderer.unknown]))
    const { networks, hasNewTokens } = await this.#options.reader.listStamps(unknown)
    const standing = {
      networks: hasNewTokens ? networks.map((listedNetwork) => ({ ...listedNetwork, stamp: '' })) : networks,
      at,
    }
    if (this.#last === null || this.#last.at < at) this.#last = standing
    return standing
  }

  #isCurrent(networks: readonly ListedNetwork[], since: number): boolean {
    const state = this.#state
    return (
      state !== null &&
      state.days.length === networks.length &&
      state.days.every((day, at) => day.network.stamp === networks[at]?.stamp && day.since <= since)
    )
  }

  #withNetworks(networks: readonly ListedNetwork[]): ListState {
    const state = this.#state ?? this.#notYet()
    if (state.days.every((day, at) => day.network === networks[at])) return state
    const days = state.days.map((day, at) => ({ ...day, network: networks[at] ?? day.network }))
    this.#state = { ...state, days }
    return this.#state
  }

  /** Renders what is new, one rendering at a time. A caller may need a further one after a running one. */
  async #refresh(networks: readonly ListedNetwork[], since: number): Promise<void> {
    const before = this.#rendering
    if (before !== null) {
      await before.catch(() => undefined)
      if (this.#isCurrent(networks, since)) return
      if (this.#rendering !== null && this.#rendering !== before) return this.#rendering
    }
    const rendering = this.#render(since).finally(() => {
      if (this.#rendering === rendering) this.#rendering = null
    })
    this.#rendering = rendering
    return rendering
  }

  async #render(since: number): Promise<void> {
    const { signal } = this.#stopping
    const state = await this.#options.reader.listSnapshot(signal, async (snapshot: ListSnapshot) => {
      const days = []
      for (const network of snapshot.networks) {
        days.push(await this.#rendererOf(network.network).render(snapshot, network, since, signal))
      }
      return { days, merged: new Map<number, Segment>() }
    })
    const whole = { ...state, merged: await this.#merge(state, since) }
    // Now, so that no request waits for it.
    listCells(whole)
    this.#state = whole
    this.#plans = new Map()
  }

  #rendererOf(network: NetworkName): NetworkRenderer {
    const known = this.#renderers.get(network)
    if (known !== undefined) return known
    const renderer = new NetworkRenderer(this.store)
    this.#renderers.set(network, renderer)
    return renderer
  }

  async #merge(state: ListState, since: number): Promise<Map<number, Segment>> {
    const merged = new Map<number, Segment>()
    const writer = this.store.writer()
    for (const [number, cells] of cellsOf(state.days, { since })) {
      if (cells.length < 2 || cells.some(({ cell }) => cell.segment === null)) continue
      this.#stopping.signal.throwIfAborted()
      const name = mergedName(number, cells)
      const known = this.#state?.merged.get(number)
      const isThere = known?.name === name && !this.store.isLost(known)
      const segment = isThere ? known : await this.store.find(name)
      const done = (made: Segment) => void merged.set(number, made)
      if (segment !== null) done(segment)
      else await writer.add({ name, network: null, blocks: await this.#blocksOf(cells), unknown: [] }, done)
    }
    await writer.finish()
    for (const [number, segment] of this.#state?.merged ?? []) {
      if (merged.get(number) !== segment) this.store.retire(segment)
    }
    return merged
  }

  async #blocksOf(cells: readonly { cell: { segment: Segment | null } }[]): Promise<RenderedBlock[]> {
    const blocks: RenderedBlock[] = []
    for (const { cell } of cells) if (cell.segment !== null) blocks.push(...(await this.store.blocks(cell.segment)))
    return blocks.sort(compareBlocks)
  }

  /** Renders each change immediately, so that requests find the list ready. */
  async #keepUp(onRound: () => void): Promise<void> {
    const { signal } = this.#stopping
    let isHealthy = true
    while (!signal.aborted) {
      // The round may miss changes from here on.
      this.#changed = new AbortController()
      try {
        await this.#keepUpOnce()
        if (!isHealthy) this.#options.log.info('rendering the list of swaps works again')
        isHealthy = true
      } catch (error) {
        if (isHealthy && !signal.aborted) this.#options.log.warn({ err: error }, 'cannot render the list of swaps')
        isHealthy = false
      }
      onRound()
      await delay(GAP_MS, undefined, { signal }).catch(ignore)
      // Files are due for a check even without a change.
      if (isHealthy) await delay(SWEEP_MS, undefined, { signal: this.#changed.signal }).catch(ignore)
    }
  }

  async #keepUpOnce(): Promise<void> {
    const since = this.#options.now() - this.#options.lengthS
    const { networks } = await this.#look()
    this.#options.onLook?.(networks)
    try {
      if (this.#isCurrent(networks, since)) this.#withNetworks(networks)
      else await this.#refresh(networks, since)
    } finally {
      // Also after a failure: a full disk may be full of files that can be deleted.
      await this.#sweep()
    }
  }

  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return
    await this.store.sweep()
    this.#sweptAt = performance.now()
  }
}

function ignore(): void {}
