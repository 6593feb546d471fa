import type { Address, Hex } from '@dexfeed/dex'
import { dataOf, TOPICS, topicOf } from './abi.ts'
import type { DraftLog } from './commitments/draft.ts'

interface CreatedPool {
  address: Address
  factory: Address
  token0: { address: Address }
  token1: { address: Address }
}

export function transferLog(token: Address, from: Address, to: Address, amount: bigint): DraftLog {
  return { address: token, topics: [TOPICS.transfer, topicOf(from), topicOf(to)], data: dataOf(amount) }
}

/** `deposit`: coins became tokens. `withdrawal`: tokens became coins. */
export function wrapperLog(
  event: 'deposit' | 'withdrawal',
  wrapper: Address,
  account: Address,
  amount: bigint,
): DraftLog {
  return { address: wrapper, topics: [TOPICS[event], topicOf(account)], data: dataOf(amount) }
}

export function pairCreatedLog(pool: CreatedPool, index: number): DraftLog {
  return { address: pool.factory, topics: [TOPICS.pairCreated, ...tokensOf(pool)], data: dataOf(pool.address, index) }
}

export function poolCreatedLog(
  pool: CreatedPool,
  { fee, tickSpacing }: { fee: number; tickSpacing: number },
): DraftLog {
  const topics = [TOPICS.poolCreated, ...tokensOf(pool), topicOf(fee)]
  return { address: pool.factory, topics, data: dataOf(tickSpacing, pool.address) }
}

export function syncLog(address: Address, { reserve0, reserve1 }: { reserve0: bigint; reserve1: bigint }): DraftLog {
  return { address, topics: [TOPICS.sync], data: dataOf(reserve0, reserve1) }
}

export interface SwapParties {
  sender: Address
  recipient: Address
}

/** @param amounts of both tokens, positive if paid to the pool */
export function pairSwapLog(
  address: Address,
  { sender, recipient }: SwapParties,
  [amount0, amount1]: readonly [bigint, bigint],
): DraftLog {
  const topics = [TOPICS.swapV2, topicOf(sender), topicOf(recipient)]
  return { address, topics, data: dataOf(paid(amount0), paid(amount1), paid(-amount0), paid(-amount1)) }
}

interface RangePrice {
  sqrtPriceX96: bigint
  tick: number
}

/** @param amounts of both tokens, positive if paid to the pool */
export function rangeSwapLog(
  address: Address,
  { sender, recipient }: SwapParties,
  [amount0, amount1]: readonly [bigint, bigint],
  { sqrtPriceX96, liquidity, tick }: RangePrice & { liquidity: bigint },
): DraftLog {
  const topics = [TOPICS.swapV3, topicOf(sender), topicOf(recipient)]
  return { address, topics, data: dataOf(amount0, amount1, sqrtPriceX96, liquidity, tick) }
}

export function initializeLog(address: Address, { sqrtPriceX96, tick }: RangePrice): DraftLog {
  return { address, topics: [TOPICS.initialize], data: dataOf(sqrtPriceX96, tick) }
}

interface Position {
  owner: Address
  lower: number
  upper: number
}

export function mintLog(
  address: Address,
  { owner, lower, upper }: Position,
  liquidity: bigint,
  amounts: readonly [bigint, bigint],
): DraftLog {
  const topics = [TOPICS.mintV3, topicOf(owner), topicOf(lower), topicOf(upper)]
  return { address, topics, data: dataOf(owner, liquidity, ...amounts) }
}

export function burnLog(
  address: Address,
  { owner, lower, upper }: Position,
  liquidity: bigint,
  amounts: readonly [bigint, bigint],
): DraftLog {
  const topics = [TOPICS.burnV3, topicOf(owner), topicOf(lower), topicOf(upper)]
  return { address, topics, data: dataOf(liquidity, ...amounts) }
}

function tokensOf({ token0, token1 }: CreatedPool): [Hex, Hex] {
  return [topicOf(token0.address), topicOf(token1.address)]
}

function paid(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
