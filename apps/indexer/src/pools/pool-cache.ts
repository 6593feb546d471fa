import {
  type Address,
  type Deployment,
  dependenciesOf,
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
 * Holds the verified pools of one network and their tokens, shared by a whole process. New ones are committed with the
 * first rows that refer to them, and again with later rows until one such commit succeeds.
 */
export class PoolCache {
  readonly #wrappedNative: Address
  readonly #pools = new Map<PoolAddress, Pool>()
  /** For each contract, the pools that depend on it in addition to their own contract. */
  readonly #dependents = new Map<Address, PoolAddress[]>()
  readonly #tokens = new Map<Address, Token>()
  /** Tokens of pools and rows that could not be read yet. */
  readonly #missingTokens = new Set<Address>()
  /** Tokens that were read after their pool, or after rows that name them, was stored. */
  readonly #lateTokens = new Set<Address>()
  readonly #unsavedPools = new Set<PoolAddress>()
  readonly #unsavedTokens = new Set<Address>()

  constructor({ network, wrappedNative, tokens }: Deployment, stored: PoolsAndTokens) {
    this.#wrappedNative = wrappedNative
    const native = { address: ZERO_ADDRESS, ...NETWORKS[network].native }
    // The curated list wins over what a contract reports about itself.
    for (const { address, symbol, name, decimals } of [...stored.tokens, native, ...tokens]) {
      this.#tokens.set(address, { address, symbol, name, decimals })
    }
    for (const pool of stored.pools) this.#add(pool)
  }

  get pools(): ReadonlyMap<PoolAddress, Pool> {
    return this.#pools
  }

  /** Returns the pools that an event of a contract affects if the contract is not a pool itself, such as a vault. */
  dependentsOf(contract: Address): readonly PoolAddress[] {
    return this.#dependents.get(contract) ?? []
  }

  /**
   * Returns undefined if the token could not be read yet. Its decimals are null if it was read and has no usable ones.
   */
  token(address: Address): Token | undefined {
    return this.#tokens.get(address)
  }

  /** Returns the tokens that rows of the pool's trades name. The native coin is stored as its wrapper. */
  tokensOf(pool: Pool): Address[] {
    return tokensOf(pool).map((token) => (token === ZERO_ADDRESS ? this.#wrappedNative : token))
  }

  /** Notes the tokens that rows name. Those that are unknown count as missing. */
  expectTokens(addresses: Iterable<Address>): void {
    for (const address of addresses) if (!this.#tokens.has(address)) this.#missingTokens.add(address)
  }

  /** Notes the tokens that stored rows of any process wait for. What this process knows of them must be stored, too. */
  awaitTokens(addresses: readonly Address[]): void {
    this.expectTokens(addresses)
    for (const address of addresses) if (this.#unsavedTokens.has(address)) this.#lateTokens.add(address)
  }

  /** Returns whether a token that pools or rows name is still unknown. Such tokens are read repeatedly. */
  isMissing(token: Address): boolean {
    return this.#missingTokens.has(token)
  }

  missingTokens(): Address[] {
    return [...this.#missingTokens]
  }

  isSaved(pool: PoolAddress): boolean {
    return this.#pools.has(pool) && !this.#unsavedPools.has(pool)
  }

  /**
   * Returns whether a pool's state is kept. States of quoted and of unknown pools are; no one would read the state of
   * any other pool again after an invalidation.
   */
  keepsState(address: PoolAddress): boolean {
    const pool = this.#pools.get(address)
    return pool === undefined || stateReadingOf(pool) !== null
  }

  /** Returns a reader of the pools: its first call returns all, each later call those that became known since. */
  poolReader(): () => Pool[] {
    let read = 0
    return () => {
      if (read === this.#pools.size) return []
      const fresh = [...this.#pools.values()].slice(read)
      read = this.#pools.size
      return fresh
    }
  }

  addVerified(pools: readonly Pool[]): void {
    for (const pool of pools) {
      if (this.#pools.has(pool.address)) continue
      this.#add(pool)
      this.#unsavedPools.add(pool.address)
    }
  }

  /** Adds a token's metadata. The first known metadata stays, whatever the token returns later. */
  addToken(token: Token): void {
    if (this.#setToken(token)) this.#unsavedTokens.add(token.address)
  }

  /** Adds pools and tokens that another process has stored. */
  addStored({ pools, tokens }: PoolsAndTokens): void {
    for (const token of tokens) this.#setToken(token)
    this.#noteSaved(tokens)
    for (const pool of pools) {
      if (!this.#pools.has(pool.address)) this.#add(pool)
      else if (this.#unsavedPools.delete(pool.address)) {
        // Both processes found the pool. Tokens that the other one lacks are late for the rows that it stored.
        for (const token of this.tokensOf(pool)) if (this.#unsavedTokens.has(token)) this.#lateTokens.add(token)
      }
    }
  }

  /**
   * Commits rows together with their pools and tokens that no commit has stored yet, and returns what was committed.
   * `commit` stores everything in one transaction, or throws.
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

  /** Commits the late tokens, and returns the result of the commit. */
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
    for (const contract of dependenciesOf(pool)) {
      const pools = this.#dependents.get(contract)
      if (pools === undefined) this.#dependents.set(contract, [pool.address])
      else pools.push(pool.address)
    }
    for (const token of this.tokensOf(pool)) if (!this.#tokens.has(token)) this.#missingTokens.add(token)
  }

  #setToken(token: Token): boolean {
    if (this.#tokens.has(token.address)) return false
    this.#tokens.set(token.address, token)
    if (this.#missingTokens.delete(token.address)) this.#lateTokens.add(token.address)
    return true
  }
}
