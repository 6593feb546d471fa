import type { BlockPoint } from '../../chain/block-range.ts'
import { DAY_S } from '../../time.ts'
import type { PoolRate, SettledRate } from './middle-price.ts'
import type { FollowedPool, Step } from './reference-pool.ts'

/** A price that was told longer before a block says nothing of it. */
export const LOOK_BACK_S = DAY_S
/** A price that was told longer before a block is old. */
const OLD_S = 30 * 60
/** Where blocks come slowly, fewer count: those of four minutes, but always so many that one sets nothing. */
const [SETTLING_S, LEAST_BLOCKS] = [240, 3]

/** Rates of a pool, and whether it has stood for long enough to be weighed beside others. */
interface SettledRates {
  isSettled: boolean
  rates: readonly SettledRate[]
}

/**
 * The rates of a pool before a block: the median over the ends of the last blocks, of its price and of the money on
 * either side, so that what stands for a block sets none of them. A pool that had no price at most of them is not
 * settled: its medians are those of the others.
 */
export function settledRates({ steps: all }: FollowedPool, block: BlockPoint, mostBlocks: number): SettledRates {
  const settlingBlocks = settlingBlocksOf(all, block, mostBlocks)
  const standing: { step: Step; ends: number }[] = []
  let ends = 0
  for (let at = all.length - 1, next = block.number; at >= 0 && next > block.number - settlingBlocks; at--) {
    const step = all[at]
    if (step === undefined || step.told.timestamp < block.timestamp - LOOK_BACK_S) break
    const from = Math.max(step.number, block.number - settlingBlocks)
    if (from < next) standing.push({ step, ends: next - from })
    ends += Math.max(next - from, 0)
    next = step.number
  }
  const last = standing[0]?.step
  if (last === undefined) return { isSettled: false, rates: [] }
  const isOld = last.told.timestamp < block.timestamp - OLD_S
  const isSettled = 2 * ends > settlingBlocks
  if (standing.length === 1) return { isSettled, rates: last.rates().map((rate) => ({ ...rate, isOld })) }
  const missing = isSettled ? settlingBlocks - ends : 0
  // One of each token that has a rate, in the same order at every step; a step without a price has none.
  const steps = standing.map(({ step, ends: weight }) => ({ rates: step.rates(), weight }))
  const of = steps.find(({ rates }) => rates.length > 0)?.rates ?? []
  const rates = of.map(({ token, quote }, index): SettledRate => {
    const told: PoolRate[] = []
    const weights: number[] = []
    let none = missing
    for (const { rates: own, weight } of steps) {
      const rate = own[index]
      if (rate === undefined) none += weight
      else {
        told.push(rate)
        weights.push(weight)
      }
    }
    return {
      ...{ token, quote, isOld },
      price: medianOf('price', told, weights, 0),
      bid: medianOf('bid', told, weights, none),
      ask: medianOf('ask', told, weights, none),
    }
  })
  return { isSettled, rates }
}

/**
 * The number of block ends that count for a pool. The time of a block is the mean since the price that stood at the
 * oldest end: the times of blocks without an event are not known.
 */
function settlingBlocksOf(steps: readonly Step[], { number, timestamp }: BlockPoint, most: number): number {
  let oldest: BlockPoint | null = null
  for (let at = steps.length - 1, next = number; at >= 0 && next > number - most; at--) {
    const step = steps[at]
    if (step === undefined || step.told.timestamp < timestamp - LOOK_BACK_S) break
    oldest = step.told
    next = step.number
  }
  if (oldest === null) return most
  const [blocks, seconds] = [number - oldest.number, timestamp - oldest.timestamp]
  if (most * seconds <= SETTLING_S * blocks) return most
  return Math.min(most, Math.max(LEAST_BLOCKS, Math.floor((SETTLING_S * blocks) / seconds)))
}

/**
 * The lower median of a value of rates with weights, and of as many zeros. Steps there from the first value, which is
 * what stands now and mostly near: sorting took most of the time that a block's prices take.
 */
function medianOf(
  of: 'price' | 'bid' | 'ask',
  rates: readonly PoolRate[],
  weights: readonly number[],
  zeros: number,
): bigint {
  let total = zeros
  for (const weight of weights) total += weight
  for (let middle = rates[0]?.[of] ?? 0n; ; ) {
    let [below, at] = middle > 0n ? [zeros, 0] : [0, zeros]
    let lower = 0n
    let upper: bigint | null = null
    for (let index = 0; index < rates.length; index++) {
      const value = rates[index]?.[of] ?? 0n
      const weight = weights[index] ?? 0
      if (value === middle) at += weight
      else if (value < middle) {
        below += weight
        if (value > lower) lower = value
      } else if (upper === null || value < upper) upper = value
    }
    if (2 * below >= total) middle = lower
    else if (2 * (below + at) >= total || upper === null) return middle
    else middle = upper
  }
}
