import { larger, orNull } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'
import type { Invariant, Shape } from './invariant.ts'
import { FEE_UNIT, type FeeTerms } from './swap-fee.ts'

interface Pool {
  invariant: Invariant
  shape: Shape
  fee: FeeTerms
  D: bigint
  /** In units of coin 0, with 18 decimals. */
  balances: readonly bigint[]
}

/**
 * Below this share of the sold balance, the contract's rounding can beat the bound. Any swap can beat it by one base
 * unit, because the fee rounds down.
 */
const MIN_SHARE = 1e-9
/** Far above floating-point rounding. */
const SLACK = 1 + 1e-8
/** The first input as a share of the sold balance. Each further input is FACTOR times larger. */
const FIRST_SHARE = 1e-4
const FACTOR = 4
const MAX_INTERVALS = 8
const GOOD_ENOUGH = 1 + 1e-5

/**
 * Returns a rate, fee included, that no swap exceeds, in the units of `balances`. Without the fee the curve is concave,
 * so the average rate falls with the amount; but the fee may fall, too, as a swap evens out the balances. So each
 * interval of amounts combines the average rate at its start with its lowest fee.
 */
export function highestRate(pool: Pool, from: number, to: number): number {
  const { invariant, shape, D, balances } = pool
  const sold = present(balances[from])
  const bought = present(balances[to])
  const balanced = orNull(() => invariant.balanceOf(shape, balances, D, to)) ?? bought
  const start = balances.map((balance, index) => (index === to ? balanced : balance))
  const marginal = invariant.rate(shape, start, D, from, to)
  if (!(marginal > 0 && marginal < Number.POSITIVE_INFINITY)) return 0
  // D may be older than A and gamma; then the first swap gets or pays the difference.
  const surplus = bought > balanced ? Number(bought - balanced) / (MIN_SHARE * Number(sold)) : 0

  const rest = balances.filter((_, index) => index !== from && index !== to).map(Number)
  const keptOf = (box: Box) => 1 - minFee(pool.fee, highestEvenness(box, rest))
  let average = marginal + surplus
  let box: Box = { ...EVERYTHING, soldMin: Number(sold), boughtMax: Number(larger(bought, balanced)) }
  let highest = average * keptOf({ ...box, soldMax: Number(sold), boughtMin: box.boughtMax })
  let share = FIRST_SHARE
  for (let interval = 0; interval < MAX_INTERVALS; interval++) {
    if (average * keptOf(box) <= highest * GOOD_ENOUGH) break
    const amount = BigInt(Math.ceil(Number(sold) * share))
    const after = balances.map((balance, index) => (index === from ? balance + amount : balance))
    const next = orNull(() => invariant.balanceOf(shape, after, D, to))
    if (next === null) break
    const soldNext = Number(sold + amount)
    const boughtNext = Number(next)
    highest = Math.max(highest, average * keptOf({ ...box, soldMax: soldNext, boughtMin: boughtNext }))
    average = Math.max(0, Number(bought - next)) / Number(amount)
    box = { ...EVERYTHING, soldMin: soldNext, boughtMax: boughtNext }
    share *= FACTOR
  }
  return Math.max(highest, average * keptOf(box)) * SLACK
}

interface Box {
  soldMin: number
  soldMax: number
  boughtMin: number
  boughtMax: number
}

const EVERYTHING: Box = { soldMin: 0, soldMax: Number.POSITIVE_INFINITY, boughtMin: 0, boughtMax: 0 }
/** Each step brings both balances four times closer to the optimum. */
const ASCENT_STEPS = 20

function highestEvenness({ soldMin, soldMax, boughtMin, boughtMax }: Box, rest: readonly number[]): number {
  const [kept] = rest
  let sold = soldMin
  let bought = boughtMax
  for (let step = 0; step < ASCENT_STEPS; step++) {
    // Evenness rises with a balance until the balance reaches the mean of the others.
    sold = Math.min(soldMax, Math.max(soldMin, kept === undefined ? bought : (bought + kept) / 2))
    bought = Math.min(boughtMax, Math.max(boughtMin, kept === undefined ? sold : (sold + kept) / 2))
  }
  const coins = kept === undefined ? [sold, bought] : [sold, bought, kept]
  const mean = coins.reduce((sum, balance) => sum + balance, 0) / coins.length
  return Math.min(
    1,
    coins.reduce((product, balance) => product * (balance / mean), 1),
  )
}

/** Returns the lowest fee for any evenness up to this one, as a fraction of 1, slightly below the contract's. */
function minFee({ rule, midFee, outFee, feeGamma }: FeeTerms, evenness: number): number {
  const mid = Number(midFee)
  const out = Number(outFee)
  const gamma = Number(feeGamma) / 1e18
  if (out <= mid) return Math.min(out / Number(FEE_UNIT), 1)
  const weight =
    rule === 'reducing' ? gamma / (gamma + 1 - evenness) : (gamma * evenness) / (gamma * evenness + 1 - evenness)
  const fee = Number.isNaN(weight) ? mid : mid * weight + out * (1 - weight)
  return Math.min(Math.max(0, fee - 2) / Number(FEE_UNIT), 1)
}
