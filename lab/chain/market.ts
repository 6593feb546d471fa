import type { Address, Deployment, NetworkName } from '@dexfeed/dex'
import { moveLiquidity, type PoolState, type Position, Q96, type RangeState, sqrt, tickAt } from './pool-math.ts'

export interface Token {
  address: Address
  symbol: string
  decimals: number
  /** Initial price in whole USD. */
  usd: number
}

export const POOL_KINDS = ['uniswap-v2', 'uniswap-v3', 'pancakeswap-v3'] as const
export type PoolKind = (typeof POOL_KINDS)[number]

interface PoolTerms {
  address: Address
  kind: PoolKind
  factory: Address
  /** In millionths. */
  fee: number
  /** Null for a V2 pair. */
  tickSpacing: number | null
  /** The block that creates the pool; 0 if it always existed. */
  bornAt: number
}

export interface Pool extends PoolTerms {
  token0: Token
  token1: Token
  positions: readonly Position[]
  /** When the pool is created. */
  firstState: PoolState
}

/**
 * @param sideUsd value of each side of the pool
 * @param rangesAround returns the ranges that share the liquidity, from the tick of the price
 */
export function makePool(
  terms: PoolTerms,
  [a, b]: readonly [Token, Token],
  sideUsd: number,
  rangesAround: (tick: number) => readonly (readonly [lower: number, upper: number])[],
): Pool {
  const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
  const [reserve0, reserve1] = [unitsOf(token0, sideUsd), unitsOf(token1, sideUsd)]
  if (terms.tickSpacing === null) {
    return { ...terms, token0, token1, positions: [], firstState: { kind: 'pair', reserve0, reserve1 } }
  }
  const sqrtPriceX96 = sqrt((reserve1 * Q96 * Q96) / reserve0)
  const tick = tickAt(sqrtPriceX96)
  const ranges = rangesAround(tick)
  const liquidity = sqrt(reserve0 * reserve1) / BigInt(ranges.length)
  const positions = ranges.map(([lower, upper]) => ({ lower, upper, liquidity }))
  const empty: RangeState = { kind: 'concentrated', sqrtPriceX96, tick, liquidity: 0n, ticks: new Map() }
  return { ...terms, token0, token1, positions, firstState: positions.reduce(moveLiquidity, empty) }
}

function unitsOf({ decimals, usd }: Token, dollars: number): bigint {
  return BigInt(Math.round((dollars / usd) * 1e6)) * 10n ** BigInt(decimals - 6)
}

export class Market {
  readonly network: NetworkName
  readonly deployment: Deployment
  readonly wrapped: Token
  readonly tokens: readonly Token[]
  readonly pools: readonly Pool[]
  readonly #pools = new Map<Address, Pool>()
  readonly #tokens = new Map<Address, Token>()
  readonly #created = new Map<string, Address>()

  /** @param tokens the wrapped coin, and any others */
  constructor(deployment: Deployment, tokens: readonly [Token, ...Token[]], pools: readonly Pool[]) {
    this.network = deployment.network
    this.deployment = deployment
    this.wrapped = tokens[0]
    this.pools = pools
    for (const token of tokens) this.#tokens.set(token.address, token)
    for (const pool of pools) this.add(pool)
    this.tokens = [...this.#tokens.values()]
  }

  /** Lets contracts know of a pool that is not one of `pools`. */
  add(pool: Pool): void {
    const { address, token0, token1 } = pool
    this.#pools.set(address, pool)
    for (const token of [token0, token1]) this.#tokens.set(token.address, token)
    this.#created.set(keyOf(pool), address)
  }

  pool(address: Address): Pool | null {
    return this.#pools.get(address) ?? null
  }

  token(address: Address): Token | null {
    return this.#tokens.get(address) ?? null
  }

  isFactory(address: Address): boolean {
    return this.deployment.dexes.some((dex) => 'factory' in dex && dex.factory === address)
  }

  /** @param fee in millionths; null for a V2 pair */
  created(factory: Address, tokens: readonly [Address, Address], fee: number | null): Pool | null {
    const address = this.#created.get([factory, ...tokens.toSorted(), fee].join())
    return address === undefined ? null : this.pool(address)
  }
}

/** Two pools with the same key are the same for their factory. */
export function keyOf({ factory, token0, token1, tickSpacing, fee }: Pool): string {
  return [factory, token0.address, token1.address, tickSpacing === null ? null : fee].join()
}
