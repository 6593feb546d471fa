import type { BlockPoint } from '../../chain/block-range.ts'
import { present } from '../../present.ts'
import { DAY_S } from '../../time.ts'
import type { PoolRate, SettledRate } from './middle-price.ts'
import type { FollowedPool, Step } from './reference-pool.ts'

/** A price set earlier than this before a block is ignored. */
export const LOOK_BACK_S = DAY_S
/** A price set earlier than this before a block is old. */
const OLD_S = 30 * 60
/** On chains with slow blocks, those of four minutes count, at least three, so that one block alone sets nothing. */
const SETTLING_S = 240
const LEAST_BLOCKS = 3

interface SettledRates {
  isSettled: boolean
  rates: readonly SettledRate[]
}

/**
 * Returns the rates of a pool before a block: medians over the ends of the last blocks, of its price and of the money
 * on either side. So a state that exists for one block does not set them. A pool without a price at most of these ends
 * is not settled; its medians are those of the other ends.
 */
export function settledRates({ steps: all }: FollowedPool, block: BlockPoint, mostBlocks: number): SettledRates {
  const settlingBlocks = settlingBlocksOf(all, block, mostBlocks)
  const counted: { step: Step; ends: number }[] = []
  let ends = 0
  for (let at = all.length - 1, next = block.number; at >= 0 && next > block.number - settlingBlocks; at--) {
    const step = all[at]
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
  // One rate per token, in the same order at every step; a step without a price has no rates.
  const steps = counted.map(({ step, ends: weight }) => ({ rates: step.rates(), weight }))
  const of = steps.find(({ rates }) => rates.length > 0)?.rates ?? []
  const rates = of.map(({ token, quote }, index): SettledRate => {
    const known: PoolRate[] = []
    const weights: number[] = []
    let none = missing
    for (const { rates: own, weight } of steps) {
      const rate = own[index]
      if (rate === undefined) none += weight
      else {
        known.push(rate)
        weights.push(weight)
      }
    }
    return {
      token,
      quote,
      isOld,
      price: medianOf('price', known, weights, 0),
      bid: medianOf('bid', known, weights, none),
      ask: medianOf('ask', known, weights, none),
    }
  })
  return { isSettled, rates }
}

/**
 * Returns the number of block ends that count for a pool. Computes the block time as the mean since the price at the
 * oldest end, because the times of blocks without an event are unknown.
 */
function settlingBlocksOf(steps: readonly Step[], { number, timestamp }: BlockPoint, most: number): number {
  let oldest: BlockPoint | null = null
  for (let at = steps.length - 1, next = number; at >= 0 && next > number - most; at--) {
    const step = steps[at]
    if (step === undefined || step.pricedAt.timestamp < timestamp - LOOK_BACK_S) break
    oldest = step.pricedAt
    next = step.number
  }
  if (oldest === null) return most
  const blocks = number - oldest.number
  const seconds = timestamp - oldest.timestamp
  if (most * seconds <= SETTLING_S * blocks) return most
  return Math.min(most, Math.max(LEAST_BLOCKS, Math.floor((SETTLING_S * blocks) / seconds)))
}

/**
 * Returns the lower median of a value of weighted rates and a number of zeros. Steps to it from the first value, which
 * is the current one and mostly near, because sorting took most of the time of a block's prices.
 */
function medianOf(
  of: 'price' | 'bid' | 'ask',
  rates: readonly PoolRate[],
  weights: readonly number[],
  zeros: number,
): bigint {
  let total = zeros
  for (const weight of weights) total += weight
  const [current] = rates
  if (current === undefined) return 0n
  for (let middle = current[of]; ; ) {
    let [below, at] = middle > 0n ? [zeros, 0] : [0, zeros]
    let lower = 0n
    let upper: bigint | null = null
    for (let index = 0; index < rates.length; index++) {
      const value = present(rates[index])[of]
      const weight = present(weights[index])
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
