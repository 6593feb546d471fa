import type { Address } from '../chain/hex.ts'
import type { PoolState } from '../pool-state.ts'
import { USD } from './anchor-prices.ts'
import { certainAmounts, type Rate } from './believable-rates.ts'
import type { ReferenceConfig, ReferencePool, ReferenceState } from './reference-pool.ts'

const Q96 = 2n ** 96n

/** What a pool says that a token costs, its stablecoin taken for some price. */
export interface PoolRate extends Rate {
  token: Address
  /** The stablecoin. */
  quote: Address
  /** The sides, scaled by 1e18: USD on the stable one, whole tokens on the other. */
  depth: bigint
  tokens: bigint
}

/** A reference pool at one state. What follows from that is worked out once, as most pools rest for many blocks. */
export interface RatedPool {
  /** Seconds. */
  timestamp: number
  token0: Address
  token1: Address
  /** Of each token whose counterpart is a stablecoin, that taken for 1 USD. */
  ratesAtPar(): readonly PoolRate[]
  /** The same with the stablecoin at another price. */
  rateAt(token: Address, quotePrice: bigint): PoolRate | null
}

export function ratedPool(config: ReferenceConfig, pool: ReferencePool, at: ReferenceState): RatedPool {
  const { token0, token1 } = pool
  let atPar: readonly PoolRate[] | undefined
  const rateAt = (token: Address, quotePrice: bigint) => rateOf(config, pool, at.state, token, quotePrice)
  return {
    timestamp: at.timestamp,
    token0,
    token1,
    ratesAtPar() {
      atPar ??= [token0, token1].flatMap((token) => rateAt(token, USD) ?? [])
      return atPar
    },
    rateAt,
  }
}

function rateOf(
  { decimals, stablecoins }: ReferenceConfig,
  pool: ReferencePool,
  state: PoolState,
  token: Address,
  quotePrice: bigint,
): PoolRate | null {
  const isToken0 = pool.token0 === token
  const quote = isToken0 ? pool.token1 : pool.token0
  const [tokenDecimals, quoteDecimals] = [decimals.get(token), decimals.get(quote)]
  if (!stablecoins.includes(quote) || tokenDecimals === undefined || quoteDecimals === undefined) return null
  const { side0, side1, numerator, denominator } = sides(state)
  const [top, bottom] = isToken0 ? [numerator, denominator] : [denominator, numerator]
  const [tokens, quoted] = isToken0 ? [side0, side1] : [side1, side0]
  if (bottom === 0n || quoted === 0n) return null
  const [unit, quoteUnit] = [10n ** BigInt(tokenDecimals), 10n ** BigInt(quoteDecimals)]
  const price = (top * unit * quotePrice) / (bottom * quoteUnit)
  if (price === 0n) return null
  return {
    ...{ token, quote, price, depth: (quoted * quotePrice) / quoteUnit, tokens: (tokens * USD) / unit },
    funds() {
      const [amount0, amount1] = certainAmounts(state)
      const [ask, bid] = isToken0 ? [amount0, amount1] : [amount1, amount0]
      return { bid: (bid * quotePrice) / quoteUnit, ask: (ask * USD) / unit }
    },
  }
}

/** A pool's two sides in base units, and the price of token0 in token1 as a fraction. */
interface Sides {
  side0: bigint
  side1: bigint
  numerator: bigint
  denominator: bigint
}

/** Reserves, or for concentrated liquidity the virtual ones at the current price. */
function sides(state: PoolState): Sides {
  if (state.kind === 'pair') {
    const { reserve0, reserve1 } = state
    return { side0: reserve0, side1: reserve1, numerator: reserve1, denominator: reserve0 }
  }
  const { sqrtPriceX96: root, liquidity } = state
  // Virtual reserves x = L / sqrt(P), y = L * sqrt(P) (Uniswap v3 core whitepaper, 6.2).
  const side0 = root === 0n ? 0n : (liquidity * Q96) / root
  return { side0, side1: (liquidity * root) / Q96, numerator: root * root, denominator: Q96 * Q96 }
}
