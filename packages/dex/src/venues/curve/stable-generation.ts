import type { CurveAnswers } from './curve-answers.ts'
import type { StablePool } from './stable/curve-stable.ts'
import type { ProductRounding } from './stable/stable-invariant.ts'

export interface Generation {
  roundings: readonly ProductRounding[]
  keepsOne: boolean
  /** For `get_dy`, most likely first. */
  views: readonly Pick<StablePool, 'keepsOne' | 'takesFee'>[]
}

const AS_PAID = { keepsOne: true, takesFee: 'before' } as const
const FEE_AFTER = { keepsOne: true, takesFee: 'after' } as const
const OLDEST = { keepsOne: false, takesFee: 'after' } as const

/**
 * Returns a pool's generation, recognised by the view functions that it has. Sources: curve-contract `contracts/pools`
 * and `contracts/pool-templates`, curve-factory `contracts/implementations`, stableswap-ng.
 * - Without `initial_A`: compound, usdt, y, busd, susd.
 * - Without `A_precise`: 3pool, hbtc, ren, sbtc, PancakeSwap's; pax pays one unit more.
 * - With `offpeg_fee_multiplier`, without `stored_rates`: aave, saave, the aToken template.
 * - All others pay alike, but two-coin factory pools round D in a second way, and stETH in a third.
 */
export function generationOf(answers: CurveAnswers, isLending: boolean): Generation {
  const { precise, ramp, isNg, offPegMultiplier, listsBalances, balances, basePool, baseCache } = answers
  if (isNg) return { roundings: ['last'], keepsOne: true, views: [AS_PAID] }
  if (ramp === null) return { roundings: ['each-plus-one'], keepsOne: false, views: [OLDEST] }
  if (precise === null) return { roundings: ['each'], keepsOne: !isLending, views: [FEE_AFTER] }
  if (offPegMultiplier !== null) {
    return { roundings: ['each-plus-one', 'each'], keepsOne: false, views: [OLDEST] }
  }
  const views = [AS_PAID, FEE_AFTER]
  if (baseCache !== null || basePool !== null || balances?.length !== 2)
    return { roundings: ['each'], keepsOne: true, views }
  const roundings: ProductRounding[] = listsBalances ? ['last', 'each'] : ['each', 'each-plus-one']
  return { roundings, keepsOne: true, views }
}
