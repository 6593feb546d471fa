import type { EventState } from '@dexfeed/dex'
import { dataOf, TOPICS, topicOf } from '../abi.ts'
import type { DraftLog } from '../commitments/draft.ts'
import { pairSwapLog, type SwapParties, syncLog } from '../events.ts'
import { liquidityAt, Q96 } from '../pool-math.ts'
import type { MadePool } from './market.ts'
import { mix } from './mix.ts'

/** Amounts are positive if the pool received them. */
export interface MadeSwap {
  amount0: bigint
  amount1: bigint
  logs(parties: SwapParties): DraftLog[]
}

/** One part of a pair's reserve moves its price by 0.01 %. */
const PARTS = 20_000n

/**
 * The price is above the centre after an even number of swaps and below after an odd one, so that consecutive states
 * differ.
 */
export function stateAfter(pool: MadePool, swaps: number): EventState {
  const distance = 1 + (mix(pool.rank, swaps, 7) % pool.reach)
  const offset = swaps % 2 === 0 ? distance : -distance
  if (pool.kind === 'uniswap-v2') {
    const [centre0, centre1] = pool.reserves
    const reserve0 = centre0 + (centre0 * BigInt(offset)) / PARTS
    return { kind: 'pair', reserve0, reserve1: (centre0 * centre1) / reserve0 }
  }
  const tick = pool.centre + offset
  // The middle of a tick is safe from rounding and from the ends of positions.
  return { kind: 'concentrated', sqrtPriceX96: sqrtPriceAt(tick + 0.5), tick, liquidity: liquidityAt(pool.ticks, tick) }
}

/** Returns the swap between two states. V3 amounts include the fee; a pair takes none. */
export function swapBetween(pool: MadePool, before: EventState, after: EventState): MadeSwap {
  const { address } = pool
  if (before.kind === 'pair' && after.kind === 'pair') {
    const amount0 = after.reserve0 - before.reserve0
    const amount1 = after.reserve1 - before.reserve1
    const logs = (parties: SwapParties) => [syncLog(address, after), pairSwapLog(address, parties, [amount0, amount1])]
    return { amount0, amount1, logs }
  }
  if (before.kind === 'pair' || after.kind === 'pair') throw new Error('a pool changes its kind')
  const [gross0, gross1] = amountsBetween(pool, before, after)
  const withFee = (amount: bigint) => (amount > 0n ? (amount * 1_000_000n) / BigInt(1_000_000 - pool.fee) + 1n : amount)
  const [amount0, amount1] = [withFee(gross0), withFee(gross1)]
  const { sqrtPriceX96, liquidity, tick } = after
  const isPancake = pool.kind === 'pancakeswap-v3'
  const protocolFees = isPancake ? [0n, 0n] : []
  const data = dataOf(amount0, amount1, sqrtPriceX96, liquidity, tick, ...protocolFees)
  const topic = isPancake ? TOPICS.swapPancakeV3 : TOPICS.swapV3
  const logs = ({ sender, recipient }: SwapParties) => [
    { address, topics: [topic, topicOf(sender), topicOf(recipient)], data },
  ]
  return { amount0, amount1, logs }
}

function sqrtPriceAt(tick: number): bigint {
  return BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 96))
}

/** Returns amounts without fees (Uniswap V3 white paper, 6.2). */
function amountsBetween(
  pool: MadePool,
  before: Extract<EventState, { kind: 'concentrated' }>,
  after: Extract<EventState, { kind: 'concentrated' }>,
): [bigint, bigint] {
  const rises = after.tick > before.tick
  const [low, high] = rises ? [before, after] : [after, before]
  const crossed = [...pool.ticks.keys()].filter((tick) => tick > low.tick && tick <= high.tick).sort((a, b) => a - b)
  const ends = [low.sqrtPriceX96, ...crossed.map(sqrtPriceAt), high.sqrtPriceX96]
  let [amount0, amount1] = [0n, 0n]
  for (let i = 0; i + 1 < ends.length; i++) {
    const [from, to] = [ends[i] ?? 0n, ends[i + 1] ?? 0n]
    const liquidity = liquidityAt(pool.ticks, i === 0 ? low.tick : (crossed[i - 1] ?? 0))
    amount0 += (liquidity * Q96 * (to - from)) / (to * from)
    amount1 += (liquidity * (to - from)) / Q96
  }
  return rises ? [-amount0, amount1] : [amount0, -amount1]
}
