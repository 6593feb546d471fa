import type { BlockPoint } from '../../chain/block-range.ts'
import { DAY_S } from '../../time.ts'
import type { FollowedPool, Step } from './followed-pool.ts'
import type { PoolRate, SettledRate } from './pool-rate.ts'

/** A price that was told longer before a block says nothing of it. */
export const LOOK_BACK_S = DAY_S
/** A price that was told longer before a block is old. */
const OLD_S = 30 * 60

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
export function settledRates({ pool, steps }: FollowedPool, block: BlockPoint, settlingBlocks: number): SettledRates {
  const standing: { step: Step; ends: number }[] = []
  let ends = 0
  for (let at = steps.length - 1, next = block.number; at >= 0 && next > block.number - settlingBlocks; at--) {
    const step = steps[at]
    if (step === undefined || step.timestamp < block.timestamp - LOOK_BACK_S) break
    const from = Math.max(step.number, block.number - settlingBlocks)
    if (from < next) standing.push({ step, ends: next - from })
    ends += Math.max(next - from, 0)
    next = step.number
  }
  const last = standing[0]?.step
  if (last === undefined) return { isSettled: false, rates: [] }
  const isOld = last.timestamp < block.timestamp - OLD_S
  const isSettled = 2 * ends > settlingBlocks
  if (standing.length === 1) return { isSettled, rates: last.rates().map((rate) => ({ ...rate, isOld })) }
  const rates = [pool.token0, pool.token1].flatMap((token): SettledRate[] => {
    const told = standing.map((one) => ({ ...one, rate: one.step.rates().find((rate) => rate.token === token) }))
    const priced = told.flatMap(({ rate, ends: weight }) => (rate === undefined ? [] : [{ rate, weight }]))
    const [first] = priced
    if (first === undefined) return []
    const missing =
      Math.max(isSettled ? settlingBlocks - ends : 0, 0) + told.reduce((sum, one) => sum + (one.rate ? 0 : one.ends), 0)
    const { quote } = first.rate
    const of = (value: (rate: PoolRate) => bigint, none: number) =>
      medianOf(
        priced.map(({ rate, weight }) => [value(rate), weight]),
        none,
      )
    return [
      {
        ...{ token, quote, isOld },
        price: of(({ price }) => price, 0),
        bid: of(({ bid }) => bid, missing),
        ask: of(({ ask }) => ask, missing),
      },
    ]
  })
  return { isSettled, rates }
}

/** The lower median of values with weights, and of as many zeros. */
function medianOf(values: [bigint, number][], zeros: number): bigint {
  values.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const total = values.reduce((sum, [, weight]) => sum + weight, zeros)
  let reached = zeros
  if (2 * reached >= total) return 0n
  for (const [value, weight] of values) {
    reached += weight
    if (2 * reached >= total) return value
  }
  return 0n
}
