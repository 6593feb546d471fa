import type { Address } from '../chain.ts'
import { larger, smaller, squareRoot } from '../maths/integers.ts'
import { coinsOf } from '../pool.ts'
import type { RouteHop } from './best-route.ts'
import type { PoolInState, Rate } from './pool-maths/pool-in-state.ts'

const SCALE = 10n ** 36n
/**
 * A formula's rate is computed for an input of this fraction of the pool's balance, unless that is too few base units.
 */
const SMALL_SHARE = 1_000_000n
const LARGE_SHARE = 1_000n
const AN_AMOUNT = 1_000_000n

/**
 * Returns a pool's price without its fee, in base units bought per base unit sold. For a formula, this is the geometric
 * mean of both directions.
 */
export function hopMid(poolInState: PoolInState, { tokenIn, tokenOut }: Omit<RouteHop, 'pool'>): Rate | null {
  const { state, pool } = poolInState
  if (state === null) return null
  if (state.kind === 'formula') return midOfFormula(poolInState, tokenIn, tokenOut)
  const rate =
    state.kind === 'pair'
      ? { numerator: state.reserve1, denominator: state.reserve0 }
      : { numerator: state.sqrtPriceX96 * state.sqrtPriceX96, denominator: 1n << 192n }
  if (rate.numerator === 0n || rate.denominator === 0n) return null
  return tokenIn === pool.token0 ? rate : { numerator: rate.denominator, denominator: rate.numerator }
}

function midOfFormula({ pool, formula }: PoolInState, tokenIn: Address, tokenOut: Address): Rate | null {
  if (formula === null) return null
  const coins = coinsOf(pool)
  const from = coins.indexOf(tokenIn)
  const to = coins.indexOf(tokenOut)
  if (from < 0 || to < 0) return null
  const rate = (a: number, b: number): Rate | null => {
    const held = formula.maths.balances[a]
    if (held === undefined) return null
    const denominator = larger(held / SMALL_SHARE + 1n, smaller(held / LARGE_SHARE, AN_AMOUNT))
    const numerator = formula.maths.amountOut(a, b, denominator)
    return numerator === null || numerator === 0n ? null : { numerator, denominator }
  }
  const forward = rate(from, to)
  const back = rate(to, from)
  if (forward === null || back === null) return forward
  const squared = (forward.numerator * back.denominator * SCALE * SCALE) / (forward.denominator * back.numerator)
  return squared === 0n ? forward : { numerator: squareRoot(squared), denominator: SCALE }
}
