import {
  type Address,
  type Deployment,
  dependenciesOf,
  NETWORKS,
  type Pool,
  type PoolAddress,
  stateReadingOf,
  type Token,
  tokensOf,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import { TokenCache } from './tokens/token-cache.ts'

interface NamedToken {
  token: Address
}

interface SavedRows {
  trades?: readonly { sell: NamedToken; buy: NamedToken }[]
  creations?: readonly { pool: PoolAddress }[]
}

export interface PoolsAndTokens {
  pools: readonly Pool[]
  tokens: readonly Token[]
}

/**
 * Caches a network's verified pools and their tokens. New pools are committed with the rows that refer to them, until a
 * commit succeeds.
 */
export class PoolCache {
  readonly tokens: TokenCache
  readonly #wrappedNative: Address
  readonly #pools = new Map<PoolAddress, Pool>()
  readonly #dependents = new Map<Address, PoolAddress[]>()
  readonly #unsaved = new Set<PoolAddress>()

  constructor({ network, wrappedNative, tokens }: Deployment, stored: PoolsAndTokens) {
    this.#wrappedNative = wrappedNative
    const native = { address: ZERO_ADDRESS, ...NETWORKS[network].native }
    // The curated list wins over what a contract reports.
    this.tokens = new TokenCache([...stored.tokens, native, ...tokens])
    for (const pool of stored.pools) this.#add(pool)
  }

  get pools(): ReadonlyMap<PoolAddress, Pool> {
    return this.#pools
  }

  dependentsOf(contract: Address): readonly PoolAddress[] {
    return this.#dependents.get(contract) ?? []
  }

  /** Returns the tokens that the pool's rows name, with the coin as its wrapper. */
  tokensOf(pool: Pool): Address[] {
    return tokensOf(pool).map((token) => (token === ZERO_ADDRESS ? this.#wrappedNative : token))
  }

  isSaved(pool: PoolAddress): boolean {
    return this.#pools.has(pool) && !this.#unsaved.has(pool)
  }

  /**
   * Returns whether the pool's state is kept: it is if the pool is quoted or unknown. No other pool is read again after
   * an invalidation.
   */
  keepsState(address: PoolAddress): boolean {
    const pool = this.#pools.get(address)
    return pool === undefined || stateReadingOf(pool) !== null
  }

  /** Returns a reader whose first call returns all pools, and each later call the new ones. */
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
      this.#unsaved.add(pool.address)
    }
  }

  addStored({ pools, tokens }: PoolsAndTokens): void {
    this.tokens.addStored(tokens)
    for (const pool of pools) {
      if (!this.#pools.has(pool.address)) this.#add(pool)
      // Both processes found this pool: tokens that the other one lacked are late for its rows.
      else if (this.#unsaved.delete(pool.address)) this.tokens.noteLate(this.tokensOf(pool))
    }
  }

  /**
   * Forgets pools that a rollback deletes. Another process may still know them, so the block that creates a pool always
   * stores it (`saveWith`).
   */
  forget(pools: readonly PoolAddress[]): void {
    for (const address of pools) {
      const pool = this.#pools.get(address)
      if (pool === undefined) continue
      this.#pools.delete(address)
      this.#unsaved.delete(address)
      for (const contract of dependenciesOf(pool)) {
        this.#dependents.set(
          contract,
          this.dependentsOf(contract).filter((dependent) => dependent !== address),
        )
      }
    }
  }

  /**
   * Commits rows with the pools that they create, and the unsaved pools and tokens that they name. Returns what was
   * committed. `commit` stores everything in one transaction, or throws.
   */
  async saveWith<Rows extends SavedRows>(
    pools: Iterable<PoolAddress>,
    rows: Rows,
    commit: (rows: Rows & PoolsAndTokens) => Promise<void>,
  ): Promise<Rows & PoolsAndTokens> {
    const unsaved = [...new Set(pools)].filter((address) => this.#unsaved.has(address))
    const created = rows.creations?.map(({ pool }) => pool) ?? []
    const found = [...new Set([...unsaved, ...created])].flatMap((address) => this.#pools.get(address) ?? [])
    const named = new Set(found.flatMap((pool) => this.tokensOf(pool)))
    for (const { sell, buy } of rows.trades ?? []) named.add(sell.token).add(buy.token)
    const tokens = this.tokens.unsavedAmong(named)
    const whole = { ...rows, pools: found, tokens }
    await commit(whole)
    for (const address of unsaved) this.#unsaved.delete(address)
    this.tokens.noteSaved(tokens)
    return whole
  }

  #add(pool: Pool): void {
    this.#pools.set(pool.address, pool)
    for (const contract of dependenciesOf(pool)) {
      const pools = this.#dependents.get(contract)
      if (pools === undefined) this.#dependents.set(contract, [pool.address])
      else pools.push(pool.address)
    }
    this.tokens.expect(this.tokensOf(pool))
  }
}
