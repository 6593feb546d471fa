import { type AnchorPrice, heldE8, valueE8 } from '../../anchor-prices.ts'
import type { Address } from '../../chain.ts'
import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import { coinsOf } from '../../pool.ts'
import type { FormulaState } from '../../pool-state.ts'
import { formulaKind } from '../../venues/registry.ts'
import type { PoolInState } from './pool-in-state.ts'
import { getAmount0Delta, getAmount1Delta } from './sqrt-price-math.ts'

export function balancesOf({ formula, values }: FormulaState): readonly bigint[] | null {
  return values === null ? null : (formulaKind(formula)?.of(values)?.balances ?? null)
}

/**
 * Returns the amounts that a pool of two tokens trades with, in base units, rounded down: its reserves, or what all
 * positions hold at the current price without uncollected fees. Returns null without a state, if the ticks do not add
 * up, or if the pool has more than two coins.
 *
 * @param isEnough stops the sum over ticks as soon as it returns true
 */
export function heldAmounts(
  { state, ticks, formula }: PoolInState,
  isEnough: (amounts: readonly [bigint, bigint]) => boolean = () => false,
): readonly [bigint, bigint] | null {
  if (state === null) return null
  if (state.kind === 'formula') {
    const [held0, held1, ...others] = formula?.maths.balances ?? []
    return held0 === undefined || held1 === undefined || others.length > 0 ? null : [held0, held1]
  }
  if (state.kind === 'pair') return [state.reserve0, state.reserve1]
  if (ticks === null || state.sqrtPriceX96 <= 0n) return null
  const price = state.sqrtPriceX96
  let amount0 = 0n
  let amount1 = 0n
  let liquidity = 0n
  let inRange = 0n
  let lower = 0n
  let isSound = true
  for (let index = 0; index < ticks.size; index++) {
    const tick = ticks.tickAt(index) as number
    const net = ticks.netAt(index)
    const upper = getSqrtRatioAtTick(tick)
    if (liquidity > 0n) {
      const middle = price < lower ? lower : price > upper ? upper : price
      amount0 += middle < upper ? getAmount0Delta(middle, upper, liquidity, false) : 0n
      amount1 += lower < middle ? getAmount1Delta(lower, middle, liquidity, false) : 0n
      if (isEnough([amount0, amount1])) return [amount0, amount1]
    }
    liquidity += net
    if (liquidity < 0n) isSound = false
    if (tick <= state.tick) inRange = liquidity
    lower = upper
  }
  return isSound && liquidity === 0n && inRange === state.liquidity ? [amount0, amount1] : null
}

/** Returns `heldAmounts` by coin, and those of a formula also with more than two coins. */
export function heldByCoin(poolInState: PoolInState): readonly bigint[] | null {
  const { pool, state } = poolInState
  if (state?.kind !== 'formula') return heldAmounts(poolInState)
  const balances = balancesOf(state)
  // A formula with fewer coins than its pool holds none of the others.
  return balances && coinsOf(pool).map((_, index) => balances[index] ?? 0n)
}

/**
 * Returns whether a pool certainly holds at least this much, in USD times 10^8, of tokens with a price (see heldE8).
 */
export function holds(poolInState: PoolInState, prices: ReadonlyMap<Address, AnchorPrice>, minE8: bigint): boolean {
  const coins = coinsOf(poolInState.pool)
  if (!coins.some((coin) => prices.has(coin))) return false
  if (coins.length > 2) {
    const balances = poolInState.formula?.maths.balances ?? []
    let worth = 0n
    for (const [index, coin] of coins.entries()) {
      const price = prices.get(coin)
      const balance = balances[index]
      if (price !== undefined && balance !== undefined) worth += valueE8(balance, price)
    }
    return worth >= minE8
  }
  const isEnough = (held: readonly [bigint, bigint]) => {
    const worth = heldE8(poolInState.pool, held, prices)
    return worth !== null && worth >= minE8
  }
  const held = heldAmounts(poolInState, isEnough)
  return held !== null && isEnough(held)
}
