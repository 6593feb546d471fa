import { orNull } from '../../../maths/checked-words.ts'
import { larger } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'
import type { Invariant, Shape } from './invariant.ts'
import { FEE_UNIT, type FeeTerms } from './swap-fee.ts'

/** A pool before a swap. */
interface Pool {
  invariant: Invariant
  shape: Shape
  fee: FeeTerms
  D: bigint
  /** In units of coin 0 with 18 digits. */
  balances: readonly bigint[]
}

/**
 * The contract's own rounding is not worth a rate. So a swap of less than this part of the sold coin's balance may pay
 * a little more than the bound, and any swap one base unit more: its fee is rounded down.
 */
const LEAST_SHARE = 1e-9
/** Far more than the rounding of the floating-point operations. */
const SLACK = 1 + 1e-8
/** Inputs of the intervals, as parts of the sold coin's balance: the first, and the factor to the next. */
const FIRST_SHARE = 1e-4
const FACTOR = 4
const MOST_INTERVALS = 8
const GOOD_ENOUGH = 1 + 1e-5

/**
 * Returns a rate that no swap of one coin for another exceeds, fee included, in the units of `balances`.
 *
 * Without the fee the curve is concave: the average rate falls with the amount. The fee, however, may fall too, as long
 * as a swap brings the balances together. So in each interval of amounts, the average rate at its start meets the
 * least fee of any balances in the interval.
 */
export function highestRate(pool: Pool, from: number, to: number): number {
  const { invariant, shape, D, balances } = pool
  const sold = present(balances[from])
  const bought = present(balances[to])
  const balanced = orNull(() => invariant.balanceOf(shape, balances, D, to)) ?? bought
  const start = balances.map((balance, index) => (index === to ? balanced : balance))
  const marginal = invariant.rate(shape, start, D, from, to)
  if (!(marginal > 0 && marginal < Number.POSITIVE_INFINITY)) return 0
  // D may be older than A and gamma: the first swap is then paid, or pays, the difference.
  const surplus = bought > balanced ? Number(bought - balanced) / (LEAST_SHARE * Number(sold)) : 0

  const rest = balances.filter((_, index) => index !== from && index !== to).map(Number)
  const keptOf = (box: Box) => 1 - leastFee(pool.fee, highestEvenness(box, rest))
  let average = marginal + surplus
  let box: Box = { ...EVERYTHING, soldLeast: Number(sold), boughtMost: Number(larger(bought, balanced)) }
  let highest = average * keptOf({ ...box, soldMost: Number(sold), boughtLeast: box.boughtMost })
  let share = FIRST_SHARE
  for (let interval = 0; interval < MOST_INTERVALS; interval++) {
    if (average * keptOf(box) <= highest * GOOD_ENOUGH) break
    const amount = BigInt(Math.ceil(Number(sold) * share))
    const after = balances.map((balance, index) => (index === from ? balance + amount : balance))
    const next = orNull(() => invariant.balanceOf(shape, after, D, to))
    // The contract refuses larger amounts, too.
    if (next === null) break
    const soldNext = Number(sold + amount)
    const boughtNext = Number(next)
    highest = Math.max(highest, average * keptOf({ ...box, soldMost: soldNext, boughtLeast: boughtNext }))
    average = Math.max(0, Number(bought - next)) / Number(amount)
    box = { ...EVERYTHING, soldLeast: soldNext, boughtMost: boughtNext }
    share *= FACTOR
  }
  return Math.max(highest, average * keptOf(box)) * SLACK
}

/** What the balances of two coins may be during swaps. */
interface Box {
  soldLeast: number
  soldMost: number
  boughtLeast: number
  boughtMost: number
}

const EVERYTHING: Box = { soldLeast: 0, soldMost: Number.POSITIVE_INFINITY, boughtLeast: 0, boughtMost: 0 }
/** Each step brings the two balances four times closer to their best values. */
const ASCENT_STEPS = 20

/** Returns the highest product of balances within a box, out of 1 for equal balances of the same sum. */
function highestEvenness({ soldLeast, soldMost, boughtLeast, boughtMost }: Box, rest: readonly number[]): number {
  const [kept] = rest
  let sold = soldLeast
  let bought = boughtMost
  for (let step = 0; step < ASCENT_STEPS; step++) {
    // Evenness rises with a balance until it is the mean of the others.
    sold = Math.min(soldMost, Math.max(soldLeast, kept === undefined ? bought : (bought + kept) / 2))
    bought = Math.min(boughtMost, Math.max(boughtLeast, kept === undefined ? sold : (sold + kept) / 2))
  }
  const coins = kept === undefined ? [sold, bought] : [sold, bought, kept]
  const mean = coins.reduce((sum, balance) => sum + balance, 0) / coins.length
  return Math.min(
    1,
    coins.reduce((product, balance) => product * (balance / mean), 1),
  )
}

/** Returns the least fee of all balances up to this evenness, as a part of 1; a little less than the contract's. */
function leastFee({ rule, midFee, outFee, feeGamma }: FeeTerms, evenness: number): number {
  const mid = Number(midFee)
  const out = Number(outFee)
  const gamma = Number(feeGamma) / 1e18
  if (out <= mid) return Math.min(out / Number(FEE_UNIT), 1)
  const weight =
    rule === 'reducing' ? gamma / (gamma + 1 - evenness) : (gamma * evenness) / (gamma * evenness + 1 - evenness)
  const fee = Number.isNaN(weight) ? mid : mid * weight + out * (1 - weight)
  return Math.min(Math.max(0, fee - 2) / Number(FEE_UNIT), 1)
}
