import type { CurveAnswers } from './curve-answers.ts'
import type { StablePool } from './stable/curve-stable.ts'
import type { ProductRounding } from './stable/stable-invariant.ts'

/** How a StableSwap generation rounds what it pays and what `get_dy` returns. */
export interface Generation {
  /** Likeliest first. */
  roundings: readonly ProductRounding[]
  /** Of `exchange`. */
  keepsOne: boolean
  /** Of `get_dy`, likeliest first. */
  views: readonly Pick<StablePool, 'keepsOne' | 'takesFee'>[]
}

const AS_PAID = { keepsOne: true, takesFee: 'before' } as const
const FEE_AFTER = { keepsOne: true, takesFee: 'after' } as const
const OLDEST = { keepsOne: false, takesFee: 'after' } as const

/**
 * Returns a generation's roundings by the pool's views. From the sources (curve-contract `contracts/pools`,
 * `contracts/pool-templates`; curve-factory `contracts/implementations`; stableswap-ng):
 * - Without `initial_A`: compound, usdt, y, busd, susd.
 * - Without `A_precise`: 3pool, hbtc, ren, sbtc, PancakeSwap's; pax pays one unit more.
 * - With `offpeg_fee_multiplier`, without `stored_rates`: aave, saave, the aToken template.
 * - The others pay alike, but the factory rounds D of two coins another way, stETH a third.
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
