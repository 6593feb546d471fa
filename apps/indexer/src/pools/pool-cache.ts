import {
  type Address,
  type Deployment,
  NETWORKS,
  type Pool,
  type PoolAddress,
  type PricedTrade,
  stateReadingOf,
  type Token,
  tokensOf,
  ZERO_ADDRESS,
} from '@dexfeed/dex'

export interface PoolsAndTokens {
  pools: readonly Pool[]
  tokens: readonly Token[]
}

/**
 * The verified pools of one network and their tokens, shared by everything in a process that works on its blocks. What
 * is new is committed with the first rows that refer to it, and with further ones until such a commit has succeeded.
 */
export class PoolCache {
  readonly #wrappedNative: Address
  readonly #pools = new Map<PoolAddress, Pool>()
  readonly #tokens = new Map<Address, Token>()
  /** Tokens of pools and rows that nothing is known of yet. */
  readonly #missingTokens = new Set<Address>()
  /** Tokens that became known later than their pool, or than rows that name them. */
  readonly #lateTokens = new Set<Address>()
  readonly #unsavedPools = new Set<PoolAddress>()
  readonly #unsavedTokens = new Set<Address>()

  constructor({ network, wrappedNative, tokens }: Deployment, stored: PoolsAndTokens) {
    this.#wrappedNative = wrappedNative
    const native = { address: ZERO_ADDRESS, ...NETWORKS[network].native }
    // The curated list is facts: a contract that describes itself otherwise does not change them.
    for (const { address, symbol, name, decimals } of [...stored.tokens, native, ...tokens]) {
      this.#tokens.set(address, { address, symbol, name, decimals })
    }
    for (const pool of stored.pools) this.#add(pool)
  }

  get pools(): ReadonlyMap<PoolAddress, Pool> {
    return this.#pools
  }

  /** Undefined: the token could not be asked yet. Decimals that are null: it was, and has none that are usable. */
  token(address: Address): Token | undefined {
    return this.#tokens.get(address)
  }

  /** The tokens that rows of the pool's trades name: the native coin is stored as its wrapper. */
  tokensOf(pool: Pool): Address[] {
    return tokensOf(pool).map((token) => (token === ZERO_ADDRESS ? this.#wrappedNative : token))
  }

  /** Notes tokens that rows name, whoever's they are; those that are not known yet are missing. */
  expectTokens(addresses: Iterable<Address>): void {
    for (const address of addresses) if (!this.#tokens.has(address)) this.#missingTokens.add(address)
  }

  /** Notes tokens that stored rows wait for, whoever stored them: what is known of them here is to be stored, too. */
  awaitTokens(addresses: readonly Address[]): void {
    this.expectTokens(addresses)
    for (const address of addresses) if (this.#unsavedTokens.has(address)) this.#lateTokens.add(address)
  }

  /** Whether nothing is known yet of a token that pools or rows name: it is asked again and again. */
  isMissing(token: Address): boolean {
    return this.#missingTokens.has(token)
  }

  missingTokens(): Address[] {
    return [...this.#missingTokens]
  }

  /** Whether a commit has stored the pool. */
  isSaved(pool: PoolAddress): boolean {
    return this.#pools.has(pool) && !this.#unsavedPools.has(pool)
  }

  /**
   * Whether the pool's state is kept, as that of one which is not quoted is not: nobody would read it anew, and invalidated
   * it would stay so. Of a pool that is not known it may be.
   */
  keepsState(address: PoolAddress): boolean {
    const pool = this.#pools.get(address)
    return pool === undefined || stateReadingOf(pool) !== null
  }

  /** A reader of the pools: its first call gives all of them, each further one those that became known since. */
  poolReader(): () => Pool[] {
    let read = 0
    return () => {
      if (read === this.#pools.size) return []
      const fresh = [...this.#pools.values()].slice(read)
      read = this.#pools.size
      return fresh
    }
  }

  /** Takes up pools that were verified just now. */
  addVerified(pools: readonly Pool[]): void {
    for (const pool of pools) {
      if (this.#pools.has(pool.address)) continue
      this.#add(pool)
      this.#unsavedPools.add(pool.address)
    }
  }

  /** Takes up a token's metadata. What is known of a token stays, whatever it answers later. */
  addToken(token: Token): void {
    if (this.#setToken(token)) this.#unsavedTokens.add(token.address)
  }

  /** Takes up pools and tokens that another process has stored. */
  addStored({ pools, tokens }: PoolsAndTokens): void {
    for (const token of tokens) this.#setToken(token)
    this.#noteSaved(tokens)
    for (const pool of pools) {
      if (!this.#pools.has(pool.address)) this.#add(pool)
      else if (this.#unsavedPools.delete(pool.address)) {
        // Both found it. Tokens that the other one lacks come late for the rows that it has stored.
        for (const token of this.tokensOf(pool)) if (this.#unsavedTokens.has(token)) this.#lateTokens.add(token)
      }
    }
  }

  /**
   * Commits rows with those of their pools, and of these pools' and the rows' tokens, that no commit has stored yet.
   *
   * @param pools that the rows refer to
   * @param commit stores all of it in one transaction, or throws
   * @returns what was committed
   */
  async saveWith<Rows extends { trades?: readonly Pick<PricedTrade, 'sell' | 'buy'>[] }>(
    pools: Iterable<PoolAddress>,
    rows: Rows,
    commit: (rows: Rows & PoolsAndTokens) => Promise<void>,
  ): Promise<Rows & PoolsAndTokens> {
    const unsaved = [...new Set(pools)].filter((address) => this.#unsavedPools.has(address))
    const found = unsaved.flatMap((address) => this.#pools.get(address) ?? [])
    const named = new Set(found.flatMap((pool) => this.tokensOf(pool)))
    if (this.#unsavedTokens.size > 0) {
      for (const { sell, buy } of rows.trades ?? []) named.add(sell.token).add(buy.token)
    }
    const unsavedTokens = [...named].filter((address) => this.#unsavedTokens.has(address))
    const tokens = unsavedTokens.flatMap((address) => this.#tokens.get(address) ?? [])
    const whole = { ...rows, pools: found, tokens }
    await commit(whole)
    for (const address of unsaved) this.#unsavedPools.delete(address)
    this.#noteSaved(tokens)
    return whole
  }

  /** Commits the tokens that became known later than their pools, and gives what the commit does. */
  async saveLateTokens<T>(commit: (tokens: readonly Token[]) => Promise<T>): Promise<T> {
    const late = [...this.#lateTokens].flatMap((address) => this.#tokens.get(address) ?? [])
    const result = await commit(late)
    this.#noteSaved(late)
    return result
  }

  #noteSaved(tokens: readonly Token[]): void {
    for (const { address } of tokens) {
      this.#unsavedTokens.delete(address)
      this.#lateTokens.delete(address)
    }
  }

  #add(pool: Pool): void {
    this.#pools.set(pool.address, pool)
    for (const token of this.tokensOf(pool)) if (!this.#tokens.has(token)) this.#missingTokens.add(token)
  }

  #setToken(token: Token): boolean {
    if (this.#tokens.has(token.address)) return false
    this.#tokens.set(token.address, token)
    if (this.#missingTokens.delete(token.address)) this.#lateTokens.add(token.address)
    return true
  }
}
