import { type Chain, type Clock, RpcUnavailable, systemClock } from '@dexfeed/chain'
import {
  type Address,
  type Answers,
  type Deployment,
  decodersOf,
  type Hex,
  type KeyWanted,
  NETWORKS,
  type Pool,
  type PoolAddress,
  type PoolCandidate,
  type PoolEvent,
  provePool,
  readToken,
  TOKEN_CALLS,
  type Token,
  tokensOf,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import { KeySearch } from './key-search.ts'

/** Foreign emitters that are remembered, so that a busy one is asked about once. */
const MAX_FOREIGN = 200_000
/** So long blocks wait for what new tokens say of themselves. */
const TOKEN_WAIT_MS = 5_000
/** A call that cannot fail: who answers it is well. */
const CONTROL = { to: ZERO_ADDRESS, data: '0x' } as const

/** So long a range of history waits for keys of pools before it is put off; the search goes on meanwhile. */
const PATIENCE_MS = 60_000

const NONE: ReadonlySet<PoolAddress> = new Set()

export interface RegistryOptions {
  /** Ends what runs in the background. */
  ended?: AbortSignal
  patienceMs?: number
  /** For the wait for tokens; default: the system's. */
  clock?: Pick<Clock, 'sleep'>
}

export interface ResolveOptions {
  /** Do not wait for keys of pools. */
  leaveOpen?: boolean
  /** Ends the waiting for keys of pools. */
  signal?: AbortSignal
}

/** An authentic manager's pool whose key is not known yet. */
interface OpenPool extends PoolCandidate, KeyWanted {
  /** Only trades need the key. */
  isTraded: boolean
}

function openPool(candidate: PoolCandidate, { keyLog }: KeyWanted): OpenPool {
  return { ...candidate, keyLog, isTraded: candidate.events.some(({ type }) => isTrade(type)) }
}

/** Only these events make rows. */
export function isTrade(type: PoolEvent['type']): boolean {
  return type === 'swap' || type === 'exchange'
}

/** Trades of a manager's pools cannot be told yet: the logs that made the pools are still being looked for. */
export class KeysNotFoundYet extends Error {
  override readonly name = 'KeysNotFoundYet'
  readonly retryable = true

  constructor(pools: number, waitedMs: number) {
    super(`the logs that made ${pools} pools were not found within ${waitedMs} ms; the search goes on`)
  }
}

/**
 * The authentic pools and their tokens, as the factories vouch for them. Shared by everything that processes blocks of
 * one network; what is new is saved with the rows that refer to it, and handed out again until such a commit succeeded.
 */
export class PoolRegistry {
  readonly #chain: Pick<Chain, 'callMany'>
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #deployment: Deployment
  readonly #search: Pick<KeySearch, 'find' | 'want' | 'found'>
  readonly #patienceMs: number
  readonly #pools = new Map<Address, Pool>()
  readonly #tokens = new Map<Address, Token>()
  /** Tokens of the pools that did not say yet what they are. */
  readonly #missingTokens = new Set<Address>()
  /** Those that said it later than their pool was found. */
  readonly #lateTokens = new Set<Address>()
  readonly #foreign = new Set<Address>()
  #found: Pool[] = []
  readonly #unsavedPools = new Set<Address>()
  readonly #unsavedTokens = new Set<Address>()

  constructor(
    chain: Pick<Chain, 'callMany' | 'head' | 'logsOf'>,
    deployment: Deployment,
    known: { pools: readonly Pool[]; tokens: readonly Token[] },
    { ended, patienceMs = PATIENCE_MS, clock = systemClock }: RegistryOptions = {},
  ) {
    this.#chain = chain
    this.#clock = clock
    this.#deployment = deployment
    this.#search = new KeySearch(chain, decodersOf(deployment.dexes.map(({ kind }) => kind)), ended)
    this.#patienceMs = patienceMs
    for (const pool of known.pools) this.#pools.set(pool.address, pool)
    for (const token of known.tokens) this.#tokens.set(token.address, token)
    const { name, symbol, decimals } = NETWORKS[deployment.network].native
    this.#tokens.set(ZERO_ADDRESS, { address: ZERO_ADDRESS, symbol, name, decimals })
    // The curated list is facts: a contract that describes itself otherwise does not change them.
    for (const { address, symbol, name, decimals } of deployment.tokens) {
      this.#tokens.set(address, { address, symbol, name, decimals })
    }
    for (const pool of known.pools) this.#missTokensOf(pool)
  }

  get pools(): ReadonlyMap<Address, Pool> {
    return this.#pools
  }

  /** Undefined: the token could not be asked yet. Decimals that are null: it was, and has none that are usable. */
  token(address: Address): Token | undefined {
    return this.#tokens.get(address)
  }

  /**
   * Makes sure that every emitter of these events is known as a pool or as foreign, with its tokens as far as those
   * answer: a token that the nodes cannot execute is left for later (`missingTokens`), a pool never. A manager's pool may
   * be neither for a while: then its key is looked for (see KeySearch), and with `leaveOpen` not waited for.
   *
   * @param at a block at which the pools exist; its state must be available
   * @returns pools left open whose swaps are among the events
   * @throws KeysNotFoundYet (retryable), or what the chain throws
   */
  async resolve(
    events: Iterable<PoolEvent>,
    at: Hex | 'latest',
    options: ResolveOptions = {},
  ): Promise<ReadonlySet<PoolAddress>> {
    return this.resolveCandidates([...this.#unknownAmong(events).values()], at, options)
  }

  /** The same for emitters that are not known yet, whether or not events of theirs are at hand. */
  async resolveCandidates(
    candidates: readonly PoolCandidate[],
    at: Hex | 'latest',
    { leaveOpen = false, signal }: ResolveOptions = {},
  ): Promise<ReadonlySet<PoolAddress>> {
    if (candidates.length === 0) return NONE
    const foreign = new Set(candidates.map(({ pool }) => pool))
    const { pools, wanted } = await this.#prove(candidates, at)
    await this.#takeUp(pools, at)
    for (const { address } of pools) foreign.delete(address)
    for (const { pool } of wanted) foreign.delete(pool)
    for (const address of foreign) this.#rememberForeign(address)
    const open = wanted.filter((key) => key.isTraded)
    if (open.length === 0) return NONE
    if (leaveOpen) {
      this.#search.want(open)
      return new Set(open.map(({ pool }) => pool))
    }
    await this.#waitFor(open, signal)
    await this.#takeUp((await this.#prove(open, at)).pools, at)
    return NONE
  }

  async #waitFor(open: readonly OpenPool[], signal: AbortSignal | undefined): Promise<void> {
    const patience = AbortSignal.timeout(this.#patienceMs)
    try {
      await this.#search.found(open, signal === undefined ? patience : AbortSignal.any([signal, patience]))
    } catch (error) {
      signal?.throwIfAborted()
      throw error === patience.reason ? new KeysNotFoundYet(open.length, this.#patienceMs) : error
    }
  }

  async #takeUp(found: readonly Pool[], at: Hex | 'latest'): Promise<void> {
    await this.#waitForTokens(found.flatMap(this.#tokensOf), at)
    for (const pool of found) {
      this.#missTokensOf(pool)
      this.#pools.set(pool.address, pool)
      this.#unsavedPools.add(pool.address)
      this.#found.push(pool)
    }
  }

  /** What rows of the pool's trades name: the native coin is stored as its wrapper. */
  readonly #tokensOf = (pool: Pool): Address[] =>
    tokensOf(pool).map((token) => (token === ZERO_ADDRESS ? this.#deployment.wrappedNative : token))

  readonly #withKey = (candidate: PoolCandidate): PoolCandidate => {
    const key = this.#search.find(candidate.pool)
    return key === undefined ? candidate : { ...candidate, key }
  }

  /** Reads the metadata of tokens that are not known yet. What is known of a token stays, whatever it says later. */
  async resolveTokens(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => !this.#tokens.has(address))
    if (unknown.length === 0) return
    const calls = unknown.flatMap((to) => TOKEN_CALLS.map((data) => ({ to, data })))
    const replies = await this.#chain.callMany(calls, at)
    unknown.forEach((address, index) => {
      const from = index * TOKEN_CALLS.length
      this.#setToken(readToken(address, replies.slice(from, from + TOKEN_CALLS.length)))
      this.#unsavedTokens.add(address)
    })
  }

  /** Tokens of known pools that nothing is known of yet. */
  missingTokens(): readonly Address[] {
    return [...this.#missingTokens]
  }

  /** Tokens that became known later than their pools and are not saved yet. */
  lateTokens(): readonly Token[] {
    return [...this.#lateTokens].flatMap((address) => this.#tokens.get(address) ?? [])
  }

  /** Pools found since the last call. */
  takeFound(): Pool[] {
    const found = this.#found
    this.#found = []
    return found
  }

  /** Takes up pools and tokens that another process has stored. */
  learn({ pools, tokens }: { pools: readonly Pool[]; tokens: readonly Token[] }): void {
    for (const token of tokens) {
      this.#setToken(token)
      this.#lateTokens.delete(token.address)
      this.#unsavedTokens.delete(token.address)
    }
    for (const pool of pools) {
      if (this.#pools.has(pool.address)) {
        this.#learnSaved(pool)
        continue
      }
      this.#pools.set(pool.address, pool)
      this.#foreign.delete(pool.address)
      this.#missTokensOf(pool)
      this.#found.push(pool)
    }
  }

  /** Another process has stored a pool that this one found too: its tokens, if that one lacks them, come late. */
  #learnSaved(pool: Pool): void {
    if (!this.#unsavedPools.delete(pool.address)) return
    for (const token of this.#tokensOf(pool)) if (this.#unsavedTokens.has(token)) this.#lateTokens.add(token)
  }

  /** Whether a commit has stored the pool. */
  isSaved(pool: Address): boolean {
    return this.#pools.has(pool) && !this.#unsavedPools.has(pool)
  }

  /** What must be saved before or with rows that refer to these pools. */
  unsaved(pools: Iterable<Address>): { pools: Pool[]; tokens: Token[] } {
    const unsavedPools = [...new Set(pools)].filter((address) => this.#unsavedPools.has(address))
    const found = unsavedPools.flatMap((address) => this.#pools.get(address) ?? [])
    const tokens = new Set(found.flatMap(this.#tokensOf))
    return {
      pools: found,
      tokens: [...tokens].flatMap((address) =>
        this.#unsavedTokens.has(address) ? (this.#tokens.get(address) ?? []) : [],
      ),
    }
  }

  /** Tells that these were committed. */
  markSaved({ pools, tokens }: { pools: readonly Pool[]; tokens: readonly Token[] }): void {
    for (const { address } of pools) this.#unsavedPools.delete(address)
    for (const { address } of tokens) {
      this.#unsavedTokens.delete(address)
      this.#lateTokens.delete(address)
    }
  }

  /** A token that was read first stays as it was read. */
  #setToken(token: Token): void {
    if (this.#tokens.has(token.address)) return
    this.#tokens.set(token.address, token)
    if (this.#missingTokens.delete(token.address)) this.#lateTokens.add(token.address)
  }

  #missTokensOf(pool: Pool): void {
    for (const token of this.#tokensOf(pool)) if (!this.#tokens.has(token)) this.#missingTokens.add(token)
  }

  /**
   * Reads tokens, but waits only so long and takes no for an answer, where it is the tokens that the nodes cannot
   * execute and not the nodes that are down: then the next try of the block finds them up.
   */
  async #waitForTokens(addresses: readonly Address[], at: Hex | 'latest'): Promise<void> {
    const enough = new AbortController()
    const asked = this.resolveTokens(addresses, at).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RpcUnavailable) return false
        throw error
      },
    )
    const waited = this.#clock.sleep(TOKEN_WAIT_MS, enough.signal).then(() => false)
    // What comes after the wait is still taken; that it fails then is of no interest.
    asked.catch(() => undefined)
    try {
      if (!(await Promise.race([asked, waited]))) await this.#chain.callMany([CONTROL], at)
    } finally {
      enough.abort()
    }
  }

  #unknownAmong(events: Iterable<PoolEvent>): Map<PoolAddress, PoolCandidate & { events: PoolEvent[] }> {
    const unknown = new Map<PoolAddress, PoolCandidate & { events: PoolEvent[] }>()
    for (const event of events) {
      const { pool, family } = event
      if (this.#pools.has(pool) || this.#foreign.has(pool)) continue
      const candidate = unknown.get(pool)
      if (candidate === undefined) unknown.set(pool, { pool, family, events: [event] })
      else candidate.events.push(event)
    }
    return unknown
  }

  /** Runs all proofs side by side: the questions of each round are asked together. */
  async #prove(
    candidates: readonly PoolCandidate[],
    at: Hex | 'latest',
  ): Promise<{ pools: Pool[]; wanted: OpenPool[] }> {
    const pools: Pool[] = []
    const wanted: OpenPool[] = []
    let open = candidates.map((one) => {
      const candidate = this.#withKey(one)
      return { candidate, proof: provePool(candidate, this.#deployment.dexes), answers: [] as Answers }
    })
    while (open.length > 0) {
      const asking = open.flatMap(({ candidate, proof, answers }) => {
        const step = proof.next(answers)
        if (!step.done) return [{ candidate, proof, questions: step.value }]
        if (step.value !== null && 'keyLog' in step.value) wanted.push(openPool(candidate, step.value))
        else if (step.value !== null) pools.push(step.value)
        return []
      })
      const answers = await this.#chain.callMany(
        asking.flatMap(({ questions }) => questions),
        at,
      )
      let next = 0
      open = asking.map(({ candidate, proof, questions }) => {
        const from = next
        next += questions.length
        return { candidate, proof, answers: answers.slice(from, next) }
      })
    }
    return { pools, wanted }
  }

  #rememberForeign(address: Address): void {
    this.#foreign.add(address)
    const oldest = this.#foreign.values().next()
    if (this.#foreign.size > MAX_FOREIGN && !oldest.done) this.#foreign.delete(oldest.value)
  }
}
