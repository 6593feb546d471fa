import type { Address, Hex } from '@dexfeed/dex'
import { type DraftLog, dataOf, TOPICS, topicOf } from './abi.ts'
import type { Pool } from './market.ts'
import type { Position, Swapped } from './pool-math.ts'

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

/** Returns the events of the factory and the new pool. Its liquidity belongs to the factory. */
export function creationLogs(pool: Pool): DraftLog[] {
  const { address, factory, token0, token1, fee, tickSpacing, firstState: state, positions } = pool
  const tokens: readonly Hex[] = [topicOf(token0.address), topicOf(token1.address)]
  if (state.kind === 'pair') {
    const created = { address: factory, topics: [TOPICS.pairCreated, ...tokens], data: dataOf(address, 1) }
    return [created, syncLog(address, state)]
  }
  return [
    {
      address: factory,
      topics: [TOPICS.poolCreated, ...tokens, topicOf(fee)],
      data: dataOf(tickSpacing ?? 0, address),
    },
    { address, topics: [TOPICS.initialize], data: dataOf(state.sqrtPriceX96, state.tick) },
    ...positions.map((position) => mintLog(address, factory, position)),
  ]
}

export interface SwapParties {
  sender: Address
  recipient: Address
}

export function swapLogs(
  { address, kind }: Pool,
  parties: SwapParties,
  { amount0, amount1, after }: Swapped,
): DraftLog[] {
  if (after.kind === 'pair') return [syncLog(address, after), pairSwapLog(address, parties, [amount0, amount1])]
  const isPancake = kind === 'pancakeswap-v3'
  const topic = isPancake ? TOPICS.swapPancakeV3 : TOPICS.swapV3
  const protocolFees = isPancake ? [0n, 0n] : []
  const data = dataOf(amount0, amount1, after.sqrtPriceX96, after.liquidity, after.tick, ...protocolFees)
  return [{ address, topics: [topic, topicOf(parties.sender), topicOf(parties.recipient)], data }]
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

export function mintLog(address: Address, owner: Address, { lower, upper, liquidity }: Position): DraftLog {
  const topics = [TOPICS.mintV3, topicOf(owner), topicOf(lower), topicOf(upper)]
  return { address, topics, data: dataOf(owner, liquidity, ...madeUpAmounts(liquidity)) }
}

export function burnLog(address: Address, owner: Address, { lower, upper, liquidity }: Position): DraftLog {
  const topics = [TOPICS.burnV3, topicOf(owner), topicOf(lower), topicOf(upper)]
  return { address, topics, data: dataOf(liquidity, ...madeUpAmounts(liquidity)) }
}

/** Only liquidity events show these amounts, so they need not fit the pool's price. */
function madeUpAmounts(liquidity: bigint): [bigint, bigint] {
  return [liquidity / 7n, liquidity / 11n]
}

function syncLog(address: Address, { reserve0, reserve1 }: { reserve0: bigint; reserve1: bigint }): DraftLog {
  return { address, topics: [TOPICS.sync], data: dataOf(reserve0, reserve1) }
}

function paid(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
