import type { Clock } from '@dexfeed/chain'
import {
  type Address,
  type BlockRange,
  candidatesOf,
  type Deployment,
  type Hex,
  type Pool,
  type PoolAddress,
  type PoolCandidate,
  type PoolEvent,
} from '@dexfeed/dex'
import type { ContractCalls } from './contract-calls.ts'
import { type DroppedEmitter, DroppedEvents } from './dropped-events.ts'
import { EmitterVerifier, type KeylessPool } from './emitter-verifier.ts'
import { KeySearch } from './key-search.ts'
import { type KeyStore, memoryKeyStore, type SearchChain } from './manager-search.ts'
import { PoolCache, type PoolsAndTokens } from './pool-cache.ts'
import { TokenReader } from './tokens/token-reader.ts'

/** A range of history waits this long for keys of pools. Then it is postponed, and the search continues. */
const KEY_WAIT_MS = 60_000

const NONE: ReadonlySet<PoolAddress> = new Set()

export interface RegistryOptions {
  ended?: AbortSignal
  keyWaitMs?: number
  /** Stores the pool keys that were found; default: in memory. */
  keyStore?: KeyStore
  /** Clock for waits on tokens and on other processes; default: the system's clock. */
  clock?: Pick<Clock, 'sleep'>
  /** Clock for the lifetime of denials; default: the system's clock. */
  now?: Pick<Clock, 'now'>
  /** What was dropped before, and what other processes drop; default: nothing. */
  dropped?: DroppedEvents | undefined
}

export interface ResolveOptions {
  /** Do not wait for keys of pools. */
  deferKeys?: boolean
  /** Ends the wait for keys of pools. */
  signal?: AbortSignal
  recheckDenied?: boolean
}

/** Returns whether events of this type make rows. */
export function isTrade(type: PoolEvent['type']): boolean {
  return type === 'swap' || type === 'exchange'
}

/** A manager's pools cannot be decoded yet, because the search for their creation logs continues. */
export class KeysNotFoundYet extends Error {
  override readonly name = 'KeysNotFoundYet'
  readonly retryable = true

  constructor(pools: number, waitedMs: number) {
    super(`the logs that created ${pools} pools were not found within ${waitedMs} ms; the search continues`)
  }
}

/** Turns emitters of events into known pools: verifies them, finds their keys, reads their tokens. */
export class PoolRegistry {
  readonly known: PoolCache
  /** Reads tokens of the known pools and of rows. */
  readonly tokens: TokenReader
  readonly #dropped: DroppedEvents
  readonly #keys: KeySearch
  readonly #verifier: EmitterVerifier
  readonly #keyWaitMs: number
  readonly #verifying = new Map<PoolAddress, Promise<unknown>>()

  constructor(
    chain: ContractCalls & SearchChain,
    { dexes, ...deployment }: Deployment,
    stored: PoolsAndTokens,
    options: RegistryOptions = {},
  ) {
    const { ended, keyWaitMs = KEY_WAIT_MS, clock, now, keyStore = memoryKeyStore(), dropped } = options
    this.known = new PoolCache({ ...deployment, dexes }, stored)
    this.tokens = new TokenReader(chain, this.known, { clock, now })
    this.#keys = new KeySearch({ chain, dexes, keyStore }, ended, clock)
    this.#verifier = new EmitterVerifier(chain, dexes, (pool) => this.#keys.find(pool), now)
    this.#keyWaitMs = keyWaitMs
    this.#dropped = dropped ?? new DroppedEvents()
  }

  /** Whether a pool can be verified now: it is known, or its key is. */
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

  /** Returns the blocks of dropped events of pools that are known now, and postponed ones. */
  takeDropped(): BlockRange[] {
    return this.#dropped.take((emitter) => this.known.pools.has(emitter))
  }

  postponeDropped(ranges: readonly BlockRange[]): void {
    this.#dropped.postpone(ranges)
  }

  /**
   * Verifies every emitter of these events and reads its tokens, at a block with available state. Afterwards each
   * emitter is a known pool or denied. A token that the nodes cannot execute is left for later (`missingTokens`), a
   * pool never is. A manager's pool may be neither: then its key is searched (see KeySearch), for which `deferKeys`
   * does not wait. Returns pools without a key that have swaps. @throws KeysNotFoundYet or KeysNotFound (retryable) once
   * the other pools are known, or an error of the chain
   */
  async resolve(
    events: Iterable<PoolEvent>,
    at: Hex | 'latest',
    { deferKeys = false, signal, recheckDenied = false }: ResolveOptions = {},
  ): Promise<ReadonlySet<PoolAddress>> {
    const unknown = this.#unknownAmong(events, recheckDenied)
    if (unknown.length === 0) return NONE
    // The head never waits for another caller, and a re-check differs from a check under way.
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
    // A key that is not found does not hold up the others.
    const found = traded.filter(({ pool }) => this.#keys.find(pool) !== undefined)
    await this.#verify(found, at)
    if (failure !== null) throw failure.error
    return NONE
  }

  /** Verifies each emitter once: waits for checks under way, and repeats only those that failed. */
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

  /** Adds the candidates that are pools. Returns those that need a key. */
  async #verify(candidates: readonly PoolCandidate[], at: Hex | 'latest'): Promise<KeylessPool[]> {
    if (candidates.length === 0) return []
    const verifying = (async () => {
      const { pools, open } = await this.#verifier.verify(candidates, at)
      await this.#addVerified(pools, at)
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

  /** Verifies those of these pools whose keys are stored, and returns the others. */
  async #withoutStoredKey(pools: readonly KeylessPool[], at: Hex | 'latest'): Promise<KeylessPool[]> {
    await this.#keys.loadStored(pools.map(({ pool }) => pool))
    const found = pools.filter(({ pool }) => this.#keys.find(pool) !== undefined)
    if (found.length === 0) return [...pools]
    await this.#verify(found, at)
    return pools.filter(({ pool }) => !this.known.pools.has(pool))
  }

  /** Reads tokens of routes over venues that are not read. Those that do not respond in time become `missingTokens`. */
  async readTokens(tokens: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const unknown = tokens.filter((token) => this.known.token(token) === undefined && !this.known.isMissing(token))
    if (unknown.length === 0) return
    await this.tokens.readInTime(unknown, at)
    this.known.expectTokens(unknown)
  }

  async #addVerified(pools: readonly Pool[], at: Hex | 'latest'): Promise<void> {
    const tokens = pools.flatMap((pool) => this.known.tokensOf(pool))
    await this.tokens.readInTime(tokens, at)
    this.known.addVerified(pools)
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
