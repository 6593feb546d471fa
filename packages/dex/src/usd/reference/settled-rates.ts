import type { BlockPoint } from '../../chain.ts'
import { present } from '../../present.ts'
import { DAY_S, MINUTE_S } from '../../time.ts'
import type { FollowedPool, PoolRate, Step } from './reference-pool.ts'

/** Prices that are older than this at a block are ignored. */
export const LOOK_BACK_S = DAY_S
/** Prices that are older than this at a block are flagged as old. */
const OLD_S = 30 * MINUTE_S
/**
 * On chains with slow blocks, the blocks of four minutes count, but at least three, so that no single block sets a
 * price.
 */
const SETTLING_S = 240
const MIN_BLOCKS = 3

export interface SettledRate extends PoolRate {
  isOld: boolean
}

interface SettledRates {
  isSettled: boolean
  rates: readonly SettledRate[]
}

/**
 * Returns the medians of a pool's price and money over the ends of the last blocks. A pool with a price at no more than
 * half of these ends is not settled; its medians cover only the ends with a price.
 */
export function settledRates({ steps: all }: FollowedPool, block: BlockPoint, maxBlocks: number): SettledRates {
  const settlingBlocks = settlingBlocksOf(all, block, maxBlocks)
  const counted: { step: Step; ends: number }[] = []
  let ends = 0
  for (let index = all.length - 1, next = block.number; index >= 0 && next > block.number - settlingBlocks; index--) {
    const step = all[index]
    if (step === undefined || step.pricedAt.timestamp < block.timestamp - LOOK_BACK_S) break
    const from = Math.max(step.number, block.number - settlingBlocks)
    if (from < next) counted.push({ step, ends: next - from })
    ends += Math.max(next - from, 0)
    next = step.number
  }
  const last = counted[0]?.step
  if (last === undefined) return { isSettled: false, rates: [] }
  const isOld = last.pricedAt.timestamp < block.timestamp - OLD_S
  const isSettled = 2 * ends > settlingBlocks
  if (counted.length === 1) return { isSettled, rates: last.rates().map((rate) => ({ ...rate, isOld })) }
  const missing = isSettled ? settlingBlocks - ends : 0
  // One rate per token, always in the same order; a step without a price has none.
  const steps = counted.map(({ step, ends: weight }) => ({ rates: step.rates(), weight }))
  const pairs = steps.find(({ rates }) => rates.length > 0)?.rates ?? []
  const rates = pairs.map(({ token, quote }, index): SettledRate => {
    const priced: PoolRate[] = []
    const weights: number[] = []
    let unpriced = missing
    for (const { rates: ofStep, weight } of steps) {
      const rate = ofStep[index]
      if (rate === undefined) unpriced += weight
      else {
        priced.push(rate)
        weights.push(weight)
      }
    }
    return {
      token,
      quote,
      isOld,
      price: medianOf('price', priced, weights, 0),
      bid: medianOf('bid', priced, weights, unpriced),
      ask: medianOf('ask', priced, weights, unpriced),
    }
  })
  return { isSettled, rates }
}

/**
 * Returns how many block ends count for a pool. The block time is the mean since the price at the oldest end, because
 * the times of blocks without events are unknown.
 */
function settlingBlocksOf(steps: readonly Step[], { number, timestamp }: BlockPoint, max: number): number {
  let oldest: BlockPoint | null = null
  for (let index = steps.length - 1, next = number; index >= 0 && next > number - max; index--) {
    const step = steps[index]
    if (step === undefined || step.pricedAt.timestamp < timestamp - LOOK_BACK_S) break
    oldest = step.pricedAt
    next = step.number
  }
  if (oldest === null) return max
  const blocks = number - oldest.number
  const seconds = timestamp - oldest.timestamp
  if (max * seconds <= SETTLING_S * blocks) return max
  return Math.min(max, Math.max(MIN_BLOCKS, Math.floor((SETTLING_S * blocks) / seconds)))
}

/**
 * Returns the lower median of weighted rates and zeros. Steps towards it from the current value, which is usually
 * close: sorting took most of the time for a block's prices.
 */
function medianOf(
  field: 'price' | 'bid' | 'ask',
  rates: readonly PoolRate[],
  weights: readonly number[],
  zeros: number,
): bigint {
  let total = zeros
  for (const weight of weights) total += weight
  const [current] = rates
  if (current === undefined) return 0n
  for (let middle = current[field]; ; ) {
    let below = middle > 0n ? zeros : 0
    let equal = middle > 0n ? 0 : zeros
    let lower = 0n
    let upper: bigint | null = null
    for (let index = 0; index < rates.length; index++) {
      const value = present(rates[index])[field]
      const weight = present(weights[index])
      if (value === middle) equal += weight
      else if (value < middle) {
        below += weight
        if (value > lower) lower = value
      } else if (upper === null || value < upper) upper = value
    }
    if (2 * below >= total) middle = lower
    else if (2 * (below + equal) >= total || upper === null) return middle
    else middle = upper
  }
}
