import type { Address, Hex, PoolState } from '@dexfeed/dex'
import type { DraftLog } from '@dexfeed/fake-node/commitments/draft'
import { addressTopic, dataOf, TOPICS, wordOf } from './events.ts'
import { sqrt } from './square-root.ts'

export interface WorldToken {
  address: Address
  symbol: string
  decimals: number
}

/** Who a swap's event names. */
interface SwapParties {
  sender: Address
  recipient: Address
}

/** A pool whose state walks with the swaps made in it. */
export interface WalkingPool {
  readonly address: Address
  readonly factory: Address
  readonly token0: WorldToken
  readonly token1: WorldToken
  /** Millionths and tick spacing; null for a pair. */
  readonly tier: { fee: number; tickSpacing: number } | null
  state(): PoolState
  /** What the pool holds of a token, for sizing a swap. */
  depth(token: WorldToken): bigint
  swap(tokenIn: WorldToken, amountIn: bigint, parties: SwapParties): { amountOut: bigint; logs: DraftLog[] }
  /** Adds a thousandth of what is there, or takes it out; in the name of a provider. */
  provide(adds: boolean, provider: Address): DraftLog[]
  /** The events of its creation, its factory's first; before anything else happens to it. */
  create(provider: Address): DraftLog[]
}

export interface PoolPlan {
  address: Address
  factory: Address
  tokens: readonly [WorldToken, WorldToken]
}

const Q96 = 2n ** 96n
/** Worth of either side at the beginning, in coins of 2,500 USD. */
const SIDE_USD = 2_500_000
const MILLION = 1_000_000n
const LARGEST_TICK = 887_272

function sorted({ tokens: [a, b] }: PoolPlan): { token0: WorldToken; token1: WorldToken } {
  return a.address < b.address ? { token0: a, token1: b } : { token0: b, token1: a }
}

/** Base units worth one side; the coin costs 2,500, a stablecoin 1, any other token half a dollar. */
function sideOf({ symbol, decimals }: WorldToken): bigint {
  const price = symbol === 'WNAT' ? 2_500 : symbol.startsWith('USD') ? 1 : 0.5
  return BigInt(SIDE_USD / price) * 10n ** BigInt(decimals)
}

export function walkingPair(plan: PoolPlan): WalkingPool {
  const { address, factory } = plan
  const { token0, token1 } = sorted(plan)
  let [reserve0, reserve1] = [sideOf(token0), sideOf(token1)]
  const sync = () => ({ address, topics: [TOPICS.sync], data: dataOf(reserve0, reserve1) })
  return {
    address,
    factory,
    token0,
    token1,
    tier: null,
    state: () => ({ kind: 'pair', reserve0, reserve1 }),
    depth: (token) => (token === token0 ? reserve0 : reserve1),
    swap(tokenIn, amountIn, { sender, recipient }) {
      const zeroForOne = tokenIn === token0
      const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
      const amountOut = (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n)
      if (zeroForOne) [reserve0, reserve1] = [reserve0 + amountIn, reserve1 - amountOut]
      else [reserve0, reserve1] = [reserve0 - amountOut, reserve1 + amountIn]
      const data = zeroForOne ? dataOf(amountIn, 0n, 0n, amountOut) : dataOf(0n, amountIn, amountOut, 0n)
      const topics = [TOPICS.swapV2, addressTopic(sender), addressTopic(recipient)]
      return { amountOut, logs: [sync(), { address, topics, data }] }
    },
    provide(adds, provider) {
      const [amount0, amount1] = [reserve0 / 1000n, reserve1 / 1000n]
      if (adds) [reserve0, reserve1] = [reserve0 + amount0, reserve1 + amount1]
      else [reserve0, reserve1] = [reserve0 - amount0, reserve1 - amount1]
      const by = addressTopic(provider)
      const topics = adds ? [TOPICS.mintV2, by] : [TOPICS.burnV2, by, by]
      return [sync(), { address, topics, data: dataOf(amount0, amount1) }]
    },
    create(provider) {
      const tokens = [addressTopic(token0.address), addressTopic(token1.address)]
      return [
        { address: factory, topics: [TOPICS.pairCreated, ...tokens], data: dataOf(BigInt(address), 1n) },
        sync(),
        { address, topics: [TOPICS.mintV2, addressTopic(provider)], data: dataOf(reserve0, reserve1) },
      ]
    },
  }
}

/** One position over the whole range, so that every tick in between is empty. */
export function walkingV3(plan: PoolPlan, tier: { fee: number; tickSpacing: number }): WalkingPool {
  const { address, factory } = plan
  const { token0, token1 } = sorted(plan)
  let liquidity = sqrt(sideOf(token0) * sideOf(token1))
  let price = sqrt((sideOf(token1) * Q96 * Q96) / sideOf(token0))
  const depth0 = (of: bigint) => (of * Q96) / price
  const depth1 = (of: bigint) => (of * price) / Q96
  const edge = edgeTick(tier.tickSpacing)
  const range = [tickTopic(-edge), tickTopic(edge)]
  const minted = (provider: Address, amount: bigint): DraftLog => ({
    address,
    topics: [TOPICS.mintV3, addressTopic(provider), ...range],
    data: dataOf(BigInt(provider), amount, depth0(amount), depth1(amount)),
  })
  return {
    address,
    factory,
    token0,
    token1,
    tier,
    state: () => ({ kind: 'concentrated', sqrtPriceX96: price, tick: tickAt(price), liquidity }),
    depth: (token) => (token === token0 ? depth0(liquidity) : depth1(liquidity)),
    swap(tokenIn, amountIn, { sender, recipient }) {
      const zeroForOne = tokenIn === token0
      const taken = (amountIn * (MILLION - BigInt(tier.fee))) / MILLION
      const after = zeroForOne
        ? (liquidity * Q96 * price) / (liquidity * Q96 + taken * price)
        : price + (taken * Q96) / liquidity
      const amountOut = zeroForOne
        ? (liquidity * (price - after)) / Q96
        : (liquidity * Q96 * (after - price)) / (after * price)
      price = after
      const amounts = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
      const data = dataOf(...amounts, price, liquidity, BigInt(tickAt(price)))
      const topics = [TOPICS.swapV3, addressTopic(sender), addressTopic(recipient)]
      return { amountOut, logs: [{ address, topics, data }] }
    },
    provide(adds, provider) {
      const amount = liquidity / 1000n
      liquidity += adds ? amount : -amount
      if (adds) return [minted(provider, amount)]
      const topics = [TOPICS.burnV3, addressTopic(provider), ...range]
      return [{ address, topics, data: dataOf(amount, depth0(amount), depth1(amount)) }]
    },
    create(provider) {
      const tokens = [addressTopic(token0.address), addressTopic(token1.address)]
      const topics = [TOPICS.poolCreated, ...tokens, `0x${wordOf(BigInt(tier.fee))}` as Hex]
      return [
        { address: factory, topics, data: dataOf(BigInt(tier.tickSpacing), BigInt(address)) },
        { address, topics: [TOPICS.initialize], data: dataOf(price, BigInt(tickAt(price))) },
        minted(provider, liquidity),
      ]
    },
  }
}

/** The outermost tick of the whole range. */
export function edgeTick(tickSpacing: number): number {
  return Math.floor(LARGEST_TICK / tickSpacing) * tickSpacing
}

function tickTopic(tick: number): Hex {
  return `0x${wordOf(BigInt(tick))}`
}

function tickAt(sqrtPriceX96: bigint): number {
  return Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001))
}
