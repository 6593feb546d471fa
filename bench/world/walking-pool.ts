import type { Address, Hex, PoolState } from '@dexfeed/dex'

export interface WorldToken {
  address: Address
  symbol: string
  decimals: number
}

/** A log of a swap, without its place. */
interface SwapLog {
  topic: 'sync' | 'swap-v2' | 'swap-v3'
  data: string
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
  swap(tokenIn: WorldToken, amountIn: bigint): { amountOut: bigint; logs: SwapLog[] }
}

interface PoolPlan {
  address: Address
  factory: Address
  tokens: readonly [WorldToken, WorldToken]
}

const Q96 = 2n ** 96n
/** Worth of either side at the beginning, in coins of 2,500 USD. */
const SIDE_USD = 2_500_000
const FEE = { fee: 3000, tickSpacing: 60 }

function sorted({ tokens: [a, b] }: PoolPlan): { token0: WorldToken; token1: WorldToken } {
  return a.address < b.address ? { token0: a, token1: b } : { token0: b, token1: a }
}

/** Base units worth one side; the coin costs 2,500, a stablecoin 1, any other token half a dollar. */
function sideOf({ symbol, decimals }: WorldToken): bigint {
  const price = symbol === 'WNAT' ? 2_500 : symbol.startsWith('USD') ? 1 : 0.5
  return BigInt(SIDE_USD / price) * 10n ** BigInt(decimals)
}

export function walkingPair(plan: PoolPlan): WalkingPool {
  const { token0, token1 } = sorted(plan)
  let [reserve0, reserve1] = [sideOf(token0), sideOf(token1)]
  return {
    address: plan.address,
    factory: plan.factory,
    token0,
    token1,
    tier: null,
    state: () => ({ kind: 'pair', reserve0, reserve1 }),
    depth: (token) => (token === token0 ? reserve0 : reserve1),
    swap(tokenIn, amountIn) {
      const zeroForOne = tokenIn === token0
      const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
      const amountOut = (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n)
      if (zeroForOne) [reserve0, reserve1] = [reserve0 + amountIn, reserve1 - amountOut]
      else [reserve0, reserve1] = [reserve0 - amountOut, reserve1 + amountIn]
      const words = zeroForOne ? [amountIn, 0n, 0n, amountOut] : [0n, amountIn, amountOut, 0n]
      const logs: SwapLog[] = [
        { topic: 'sync', data: dataOf([reserve0, reserve1]) },
        { topic: 'swap-v2', data: dataOf(words) },
      ]
      return { amountOut, logs }
    },
  }
}

/** One position over the whole range, so that every tick in between is empty. */
export function walkingV3(plan: PoolPlan): WalkingPool {
  const { token0, token1 } = sorted(plan)
  const liquidity = sqrt(sideOf(token0) * sideOf(token1))
  let price = sqrt((sideOf(token1) * Q96 * Q96) / sideOf(token0))
  const state = () => ({ kind: 'concentrated' as const, sqrtPriceX96: price, tick: tickAt(price), liquidity })
  return {
    address: plan.address,
    factory: plan.factory,
    token0,
    token1,
    tier: FEE,
    state,
    depth: (token) => (token === token0 ? (liquidity * Q96) / price : (liquidity * price) / Q96),
    swap(tokenIn, amountIn) {
      const zeroForOne = tokenIn === token0
      const taken = (amountIn * 997n) / 1000n
      const after = zeroForOne
        ? (liquidity * Q96 * price) / (liquidity * Q96 + taken * price)
        : price + (taken * Q96) / liquidity
      const amountOut = zeroForOne
        ? (liquidity * (price - after)) / Q96
        : (liquidity * Q96 * (after - price)) / (after * price)
      price = after
      const amounts = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
      const data = dataOf([...amounts, price, liquidity, BigInt(tickAt(price))])
      return { amountOut, logs: [{ topic: 'swap-v3', data }] }
    },
  }
}

function dataOf(words: readonly bigint[]): Hex {
  return `0x${words.map(wordOf).join('')}`
}

/** 32 bytes of ABI data. */
export function wordOf(value: bigint): string {
  return (value < 0n ? BigInt.asUintN(256, value) : value).toString(16).padStart(64, '0')
}

function tickAt(sqrtPriceX96: bigint): number {
  return Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001))
}

/** Integer square root, rounded down (Newton). */
function sqrt(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  for (;;) {
    const better = (root + value / root) >> 1n
    if (better === root || better === root + 1n) return better
    root = better
  }
}
