import { once } from 'node:events'
import type { Chain } from '@dexfeed/chain'
import {
  type Address,
  type BlockRange,
  type EventDecoder,
  emitterOf,
  type Hex,
  type KeyWanted,
  keyToldBy,
  type PoolAddress,
  type PoolKey,
} from '@dexfeed/dex'

/** Blocks of one question; the chain asks it in as many parts as its nodes want. */
const WINDOW_BLOCKS = 50_000
/** Windows that are asked side by side. */
const WINDOWS = 4
/** By how many blocks the chain must grow before all of history is searched again after a search in vain. */
const AGAIN_AFTER_BLOCKS = 5_000

export interface WantedKey extends KeyWanted {
  pool: PoolAddress
}

/** The contents of a manager's logs of the blocks from..to. */
interface ManagerHistory extends BlockRange, Readonly<KeyWanted['keyLog']> {
  keys: Map<PoolAddress, PoolKey>
  wanted: Set<PoolAddress>
  waiting: { pools: Set<PoolAddress>; done(): void; failed(reason: unknown): void }[]
  /** Whether blocks are being read. */
  isRead: boolean
  /** The head at the last search in vain. */
  inVainAt: number | null
}

/** The nodes showed no log that must be there. It is looked for anew later. */
export class KeysNotFound extends Error {
  override readonly name = 'KeysNotFound'
  readonly retryable = true

  constructor(manager: Address, pools: readonly PoolAddress[]) {
    super(`no log of the pool manager ${manager} tells the keys of ${pools.map((pool) => pool.slice(42)).join(', ')}`)
  }
}

/**
 * Looks through a manager's logs for those that made pools: newest blocks first, no further back than what is wanted
 * lies. All pools on the way are remembered, so that a process asks about no block twice, however many are wanted one
 * after the other. It goes on in the background, and the chain lets live questions go first.
 */
export class KeySearch {
  readonly #chain: Pick<Chain, 'head' | 'logsOf'>
  readonly #decoders: ReadonlyMap<Hex, EventDecoder>
  readonly #ended: AbortSignal | undefined
  readonly #histories = new Map<Address, ManagerHistory>()

  /** @param ended stops what runs in the background */
  constructor(chain: Pick<Chain, 'head' | 'logsOf'>, decoders: ReadonlyMap<Hex, EventDecoder>, ended?: AbortSignal) {
    this.#chain = chain
    this.#decoders = decoders
    this.#ended = ended
  }

  /** The key of a pool, if its log was met. */
  find(pool: PoolAddress): PoolKey | undefined {
    return this.#histories.get(emitterOf(pool))?.keys.get(pool)
  }

  /** Begins, or goes on, to look for these keys. */
  want(keys: readonly WantedKey[]): void {
    for (const history of this.#wantedIn(keys)) this.#goOn(history)
  }

  /**
   * Resolves when all these keys are found.
   *
   * @throws KeysNotFound, what the chain throws, or the signal's reason once it aborts; the search itself goes on
   */
  async found(keys: readonly WantedKey[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const waiting = [...this.#wantedIn(keys)].map((history) => {
      return new Promise<void>((done, failed) => {
        history.waiting.push({ pools: poolsOf(keys, history), done, failed })
        this.#goOn(history)
      })
    })
    const over = new AbortController()
    const aborted = once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted())
    await Promise.race([Promise.all(waiting), aborted]).finally(() => over.abort())
  }

  /** Notes what of this is not found yet; the managers of it. */
  #wantedIn(keys: readonly WantedKey[]): Set<ManagerHistory> {
    const histories = new Set<ManagerHistory>()
    for (const { pool, keyLog } of keys) {
      const nothing = { from: 0, to: -1, keys: new Map(), wanted: new Set<PoolAddress>(), waiting: [] }
      const history = this.#histories.get(keyLog.address) ?? { ...keyLog, ...nothing, isRead: false, inVainAt: null }
      this.#histories.set(keyLog.address, history)
      if (history.keys.has(pool)) continue
      history.wanted.add(pool)
      histories.add(history)
    }
    return histories
  }

  #goOn(history: ManagerHistory): void {
    if (!history.isRead) void this.#run(history)
  }

  /** Reads part after part while anything is wanted. A failure ends it until somebody wants again. */
  async #run(history: ManagerHistory): Promise<void> {
    history.isRead = true
    try {
      while (history.wanted.size > 0) {
        this.#ended?.throwIfAborted()
        await this.#readPart(history)
        const { keys, waiting } = history
        history.waiting = waiting.filter(({ pools, done }) => {
          const isOpen = [...pools].some((pool) => !keys.has(pool))
          if (!isOpen) done()
          return isOpen
        })
      }
    } catch (error) {
      for (const { failed } of history.waiting.splice(0)) failed(error)
    } finally {
      history.isRead = false
    }
  }

  /** The blocks that are newer than what is known, else the next ones below it. */
  async #readPart(history: ManagerHistory): Promise<void> {
    const head = (await this.#chain.head()).number
    if (history.to < 0) Object.assign(history, { from: head + 1, to: head })
    if (head > history.to) {
      await this.#read(history, [{ from: history.to + 1, to: head }])
      history.to = head
      return
    }
    if (history.from === 0) {
      this.#startOver(history, head)
      return
    }
    const windows = Array.from({ length: WINDOWS }, (_, index) => {
      const to = history.from - 1 - index * WINDOW_BLOCKS
      return { from: Math.max(0, to - WINDOW_BLOCKS + 1), to }
    }).filter(({ to }) => to >= 0)
    await this.#read(history, windows)
    history.from = Math.min(...windows.map(({ from }) => from))
  }

  async #read(history: ManagerHistory, windows: readonly BlockRange[]): Promise<void> {
    const { address, topic, keys, wanted } = history
    const decoder = this.#decoders.get(topic)
    const parts = await Promise.all(
      windows.map((window) => this.#chain.logsOf({ addresses: [address], topics: [topic], ...window })),
    )
    for (const log of parts.flat()) {
      const event = decoder?.(log)
      const key = event ? keyToldBy(event) : null
      if (!event || key === null) continue
      keys.set(event.pool, key)
      wanted.delete(event.pool)
    }
  }

  /** The manager's pools were all made by a log: what the nodes showed is not all. */
  #startOver(history: ManagerHistory, head: number): void {
    history.inVainAt ??= head
    if (head - history.inVainAt < AGAIN_AFTER_BLOCKS) {
      const missing = [...history.wanted]
      history.wanted.clear()
      throw new KeysNotFound(history.address, missing)
    }
    Object.assign(history, { to: -1, inVainAt: null })
  }
}

function poolsOf(keys: readonly WantedKey[], { address }: ManagerHistory): Set<PoolAddress> {
  return new Set(keys.flatMap(({ pool, keyLog }) => (keyLog.address === address ? [pool] : [])))
}
