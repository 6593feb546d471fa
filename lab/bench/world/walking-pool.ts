import type { Address, EventState } from '@dexfeed/dex'
import { dataOf, TOPICS, topicOf } from '@dexfeed/fake-node/abi'
import type { DraftLog } from '@dexfeed/fake-node/commitments/draft'
import type { ContractPool, ContractToken } from '@dexfeed/fake-node/contracts/call-contract'
import {
  burnLog,
  initializeLog,
  mintLog,
  pairCreatedLog,
  pairSwapLog,
  poolCreatedLog,
  rangeSwapLog,
  type SwapParties,
  syncLog,
} from '@dexfeed/fake-node/events'
import { edgeTick, type Pair, Q96, type Range, sqrt, swapPair, swapRange, tickAt } from '@dexfeed/fake-node/pool-math'

export type WorldToken = ContractToken

/** A pool whose state moves with the swaps made in it. */
export interface WalkingPool extends ContractPool {
  readonly token0: WorldToken
  readonly token1: WorldToken
  state(): EventState
  /** What the pool holds of a token; the size of a swap is a part of it. */
  depth(token: WorldToken): bigint
  swap(tokenIn: WorldToken, amountIn: bigint, parties: SwapParties): { amountOut: bigint; logs: DraftLog[] }
  /** Adds a thousandth of what the pool holds, or removes it, for a provider. */
  provide(adds: boolean, provider: Address): DraftLog[]
  /** Returns the events of its creation, its factory's first; called before all other events. */
  create(provider: Address): DraftLog[]
}

export interface PoolPlan {
  address: Address
  factory: Address
  tokens: readonly [WorldToken, WorldToken]
}

/** Value of either side at the beginning, in coins of 2,500 USD. */
const SIDE_USD = 2_500_000
const PAIR_FEE = 3_000

function sorted({ tokens: [a, b] }: PoolPlan): { token0: WorldToken; token1: WorldToken } {
  return a.address < b.address ? { token0: a, token1: b } : { token0: b, token1: a }
}

/** Base units of one side; the coin costs 2,500 USD, a stablecoin 1, any other token half a dollar. */
function sideOf({ symbol, decimals }: WorldToken): bigint {
  const price = symbol === 'WNAT' ? 2_500 : symbol.startsWith('USD') ? 1 : 0.5
  return BigInt(SIDE_USD / price) * 10n ** BigInt(decimals)
}

export function walkingPair(plan: PoolPlan): WalkingPool {
  const { address, factory } = plan
  const { token0, token1 } = sorted(plan)
  let state: Pair = { kind: 'pair', reserve0: sideOf(token0), reserve1: sideOf(token1) }
  return {
    ...{ address, factory, token0, token1, fee: 0, tickSpacing: null },
    state: () => state,
    depth: (token) => (token === token0 ? state.reserve0 : state.reserve1),
    swap(tokenIn, amountIn, parties) {
      const { amount0, amount1, amountOut, after } = swapPair(state, tokenIn === token0, amountIn, PAIR_FEE)
      state = after
      return { amountOut, logs: [syncLog(address, state), pairSwapLog(address, parties, [amount0, amount1])] }
    },
    provide(adds, provider) {
      const [amount0, amount1] = [state.reserve0 / 1000n, state.reserve1 / 1000n]
      const sign = adds ? 1n : -1n
      state = { ...state, reserve0: state.reserve0 + sign * amount0, reserve1: state.reserve1 + sign * amount1 }
      const by = topicOf(provider)
      const topics = adds ? [TOPICS.mintV2, by] : [TOPICS.burnV2, by, by]
      return [syncLog(address, state), { address, topics, data: dataOf(amount0, amount1) }]
    },
    create(provider) {
      const minted = { topics: [TOPICS.mintV2, topicOf(provider)], data: dataOf(state.reserve0, state.reserve1) }
      return [pairCreatedLog(this, 1), syncLog(address, state), { address, ...minted }]
    },
  }
}

/** A pool with one position over the whole range, so that every tick in between is empty. */
export function walkingV3(plan: PoolPlan, { fee, tickSpacing }: { fee: number; tickSpacing: number }): WalkingPool {
  const { address, factory } = plan
  const { token0, token1 } = sorted(plan)
  const sqrtPriceX96 = sqrt((sideOf(token1) * Q96 * Q96) / sideOf(token0))
  const liquidity = sqrt(sideOf(token0) * sideOf(token1))
  let state: Range = { kind: 'concentrated', sqrtPriceX96, tick: tickAt(sqrtPriceX96), liquidity }
  const depth0 = (of: bigint) => (of * Q96) / state.sqrtPriceX96
  const depth1 = (of: bigint) => (of * state.sqrtPriceX96) / Q96
  const edge = edgeTick(tickSpacing)
  const minted = (owner: Address, amount: bigint): DraftLog => {
    return mintLog(address, { owner, lower: -edge, upper: edge }, amount, [depth0(amount), depth1(amount)])
  }
  return {
    ...{ address, factory, token0, token1, fee, tickSpacing },
    state: () => state,
    depth: (token) => (token === token0 ? depth0(state.liquidity) : depth1(state.liquidity)),
    swap(tokenIn, amountIn, parties) {
      const { amount0, amount1, amountOut, after } = swapRange(state, tokenIn === token0, amountIn, fee)
      state = after
      return { amountOut, logs: [rangeSwapLog(address, parties, [amount0, amount1], state)] }
    },
    provide(adds, provider) {
      const amount = state.liquidity / 1000n
      state = { ...state, liquidity: state.liquidity + (adds ? amount : -amount) }
      if (adds) return [minted(provider, amount)]
      const position = { owner: provider, lower: -edge, upper: edge }
      return [burnLog(address, position, amount, [depth0(amount), depth1(amount)])]
    },
    create(provider) {
      const created = poolCreatedLog(this, { fee, tickSpacing })
      return [created, initializeLog(address, state), minted(provider, state.liquidity)]
    },
  }
}
