import {
  type Address,
  type BlockRange,
  candidatesOf,
  type Deployment,
  type Hex,
  type PoolAddress,
  type PoolCandidate,
  type PoolEvent,
} from '@dexfeed/dex'
import type { SleepClock, TimeClock } from '../loops/loop.ts'
import type { ContractCaller } from './contract-calls.ts'
import { type DroppedEmitter, DroppedEvents } from './dropped-events.ts'
import { EmitterVerifier, type KeylessPool } from './emitter-verifier.ts'
import { KeySearch } from './key-search.ts'
import { type KeyStore, memoryKeyStore, type SearchedChain } from './manager-search.ts'
import { PoolCache, type PoolsAndTokens } from './pool-cache.ts'
import { TokenReader } from './tokens/token-reader.ts'

/** Pools of a live step that are verified although only their creation is known, so that the head need not wait. */
const MAX_CREATED = 64

/** After this wait, a range is postponed while the search continues. */
const KEY_WAIT_MS = 60_000

const NONE: ReadonlySet<PoolAddress> = new Set()

export interface RegistryOptions {
  ended?: AbortSignal
  keyWaitMs?: number
  keyStore?: KeyStore
  clock?: SleepClock
  now?: TimeClock
  /** Events that this process dropped before, or that other processes dropped. */
  dropped?: DroppedEvents | undefined
}

export interface ResolveOptions {
  deferKeys?: boolean
  signal?: AbortSignal
  recheckDenied?: boolean
}

export function isTrade(type: PoolEvent['type']): boolean {
  return type === 'swap' || type === 'exchange'
}

/** The search for the keys continues. */
export class KeysNotFoundYet extends Error {
  override readonly name = 'KeysNotFoundYet'
  readonly retryable = true

  constructor(pools: number, waitedMs: number) {
    super(`the logs that created ${pools} pools were not found within ${waitedMs} ms; the search continues`)
  }
}

export class PoolRegistry {
  readonly known: PoolCache
  readonly tokenReader: TokenReader
  readonly #dropped: DroppedEvents
  readonly #keys: KeySearch
  readonly #verifier: EmitterVerifier
  readonly #keyWaitMs: number
  readonly #verifying = new Map<PoolAddress, Promise<unknown>>()

  constructor(
    chain: ContractCaller & SearchedChain,
    { dexes, ...deployment }: Deployment,
    stored: PoolsAndTokens,
    options: RegistryOptions = {},
  ) {
    const { ended, keyWaitMs = KEY_WAIT_MS, clock, now, keyStore = memoryKeyStore(), dropped } = options
    this.known = new PoolCache({ ...deployment, dexes }, stored)
    this.tokenReader = new TokenReader(chain, this.known.tokens, { clock, now })
    this.#keys = new KeySearch({ chain, dexes, keyStore }, ended, clock)
    this.#verifier = new EmitterVerifier(chain, dexes, (pool) => this.#keys.find(pool), now)
    this.#keyWaitMs = keyWaitMs
    this.#dropped = dropped ?? new DroppedEvents()
  }

  canProve(pool: PoolAddress): boolean {
    return this.known.pools.has(pool) || this.#keys.find(pool) !== undefined
  }

  isConfirmedDenial(emitter: PoolAddress): boolean {
    return this.#verifier.isConfirmed(emitter)
  }

  noteDropped(emitter: DroppedEmitter): void {
    this.#dropped.note(emitter)
  }

  droppedEmitters(): PoolAddress[] {
    return this.#dropped.emitters()
  }

  /** Returns and forgets the dropped blocks of pools that are known now, and the postponed blocks. */
  takeDropped(): BlockRange[] {
    return this.#dropped.take((emitter) => this.known.pools.has(emitter))
  }

  postponeDropped(ranges: readonly BlockRange[]): void {
    this.#dropped.postpone(ranges)
  }

  /**
   * Makes each emitter a known pool, or denies it. Waits for the keys of managers' pools; with `deferKeys`, only
   * requests them, and leaves most of a flood of new pools for later unless denied emitters are checked again. Reads
   * tokens at block `at`; those that cannot be read are read later. Returns the pools with swaps whose keys are unknown.
   *
   * @throws KeysNotFoundYet or KeysNotFound (retryable) once the other pools are known, or an error from the chain
   */
  async resolve(
    events: Iterable<PoolEvent>,
    at: Hex | 'latest',
    { deferKeys = false, signal, recheckDenied = false }: ResolveOptions = {},
  ): Promise<ReadonlySet<PoolAddress>> {
    const emitters = this.#unknownAmong(events, recheckDenied)
    const unknown = deferKeys && !recheckDenied ? withoutFlood(emitters) : emitters
    if (unknown.length === 0) return NONE
    // The head must not wait for other callers, and a re-check must not reuse their checks.
    const open = await (deferKeys || recheckDenied ? this.#verify(unknown, at) : this.#verifyOnce(unknown, at))
    const traded = await this.#withoutStoredKey(
      open.filter((pool) => pool.events.some(({ type }) => isTrade(type))),
      at,
    )
    if (traded.length === 0) return NONE
    if (deferKeys) {
      this.#keys.request(traded)
      return new Set(traded.map(({ pool }) => pool))
    }
    const failure = await this.#waitForKeys(traded, signal).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (failure !== null && signal?.aborted) throw failure.error
    // A missing key does not hold up the others.
    const found = traded.filter(({ pool }) => this.#keys.find(pool) !== undefined)
    await this.#verify(found, at)
    if (failure !== null) throw failure.error
    return NONE
  }

  async #verifyOnce(unknown: readonly PoolCandidate[], at: Hex | 'latest'): Promise<KeylessPool[]> {
    const others = unknown.filter(({ pool }) => this.#verifying.has(pool))
    const open = await this.#verify(
      unknown.filter(({ pool }) => !this.#verifying.has(pool)),
      at,
    )
    await Promise.allSettled(others.map(({ pool }) => this.#verifying.get(pool)))
    const left = others.filter(({ pool }) => !this.known.pools.has(pool) && !this.#verifier.isDenied(pool))
    return left.length === 0 ? open : [...open, ...(await this.#verify(left, at))]
  }

  async #verify(candidates: readonly PoolCandidate[], at: Hex | 'latest'): Promise<KeylessPool[]> {
    if (candidates.length === 0) return []
    const verifying = (async () => {
      const { pools, open } = await this.#verifier.verify(candidates, at)
      const tokens = pools.flatMap((pool) => this.known.tokensOf(pool))
      await this.tokenReader.readInTime(tokens, at)
      this.known.addVerified(pools)
      return open
    })()
    for (const { pool } of candidates) this.#verifying.set(pool, verifying)
    try {
      return await verifying
    } finally {
      for (const { pool } of candidates) {
        if (this.#verifying.get(pool) === verifying) this.#verifying.delete(pool)
      }
    }
  }

  async #withoutStoredKey(pools: readonly KeylessPool[], at: Hex | 'latest'): Promise<KeylessPool[]> {
    await this.#keys.loadStored(pools.map(({ pool }) => pool))
    const found = pools.filter(({ pool }) => this.#keys.find(pool) !== undefined)
    if (found.length === 0) return [...pools]
    await this.#verify(found, at)
    return pools.filter(({ pool }) => !this.known.pools.has(pool))
  }

  /** Reads tokens that trades name. Those that are not read in time count as missing. */
  async readTokens(tokens: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const { tokens: cache } = this.known
    const unknown = tokens.filter((token) => cache.get(token) === undefined && !cache.isMissing(token))
    if (unknown.length === 0) return
    await this.tokenReader.readInTime(unknown, at)
    cache.expect(unknown)
  }

  async #waitForKeys(pools: readonly KeylessPool[], signal: AbortSignal | undefined): Promise<void> {
    const patience = AbortSignal.timeout(this.#keyWaitMs)
    try {
      await this.#keys.waitFor(pools, signal === undefined ? patience : AbortSignal.any([signal, patience]))
    } catch (error) {
      signal?.throwIfAborted()
      throw error === patience.reason ? new KeysNotFoundYet(pools.length, this.#keyWaitMs) : error
    }
  }

  #unknownAmong(events: Iterable<PoolEvent>, recheckDenied: boolean): PoolCandidate[] {
    const isUnknown = ({ pool }: PoolEvent) =>
      !this.known.pools.has(pool) && (recheckDenied || !this.#verifier.isDenied(pool))
    return candidatesOf([...events].filter(isUnknown))
  }
}

function withoutFlood(candidates: readonly PoolCandidate[]): PoolCandidate[] {
  let created = 0
  return candidates.filter(({ events }) => !events.every(isBeginning) || ++created <= MAX_CREATED)
}

function isBeginning({ type }: PoolEvent): boolean {
  return type === 'created' || type === 'initialize'
}
