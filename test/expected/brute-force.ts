import type { DevnetChain } from '@dexfeed/devnet'
import { concat, toBeHex, zeroPadValue } from 'ethers'
import { type Read, readContracts } from './chain-reader.ts'
import type { VerifiedPool } from './pool-events.ts'

interface RouteStep {
  pool: VerifiedPool
  tokenIn: string
  tokenOut: string
}

export type Route = readonly RouteStep[]

export interface AmountRequest {
  sell: string
  buy: string
  amountIn: bigint
  maxHops: number
}

export interface BestOutput {
  amountOut: bigint | null
  routes: readonly Route[]
}

const V2_QUOTE = 'function getAmountsOut(uint256, address[]) view returns (uint256[])'
const V3_QUOTE =
  'function quoteExactInput(bytes, uint256) returns (uint256 out, uint160[] sqrtPricesAfter, uint32[] crossed, uint256 gas)'
const DEV_QUOTE =
  'function quote((address pool, bool concentrated, address tokenIn, address tokenOut)[], uint256) returns (uint256)'
/** The price limits of a V3 pool, which reaches one if it cannot take the whole amount. */
const LIMITS = [4295128740n, 1461446703485210103287273052203988822378723970341n]

/** Returns the best output that contracts quote for each request, over all routes of at most `maxHops` pools. */
export async function bestOutputs(
  chain: DevnetChain,
  pools: Iterable<VerifiedPool>,
  requests: readonly AmountRequest[],
  block: number,
): Promise<BestOutput[]> {
  const all = [...pools]
  const routes = requests.map(({ sell, buy, maxHops }) => simpleRoutes(all, sell, buy, maxHops))
  const pairs = routes.flatMap((some, at) => some.map((route) => ({ route, amountIn: requests[at]?.amountIn ?? 0n })))
  const outputs = await quoteRoutes(chain, pairs, block)
  let next = 0
  return routes.map((some) => {
    const own = outputs.slice(next, next + some.length)
    next += some.length
    const amountOut = own.reduce((best, out) => (best === null || (out !== null && out > best) ? out : best), null)
    return { amountOut, routes: some }
  })
}

/** Returns all routes that visit no token twice. */
export function simpleRoutes(
  pools: readonly VerifiedPool[],
  sell: string,
  buy: string,
  maxHops: number,
  met: readonly string[] = [],
): Route[] {
  if (maxHops === 0) return []
  return pools.flatMap((pool): Route[] => {
    const tokenIn = sell
    if (pool.token0 !== tokenIn && pool.token1 !== tokenIn) return []
    const tokenOut = pool.token0 === tokenIn ? pool.token1 : pool.token0
    const step = { pool, tokenIn, tokenOut }
    if (tokenOut === buy) return [[step]]
    if (met.includes(tokenOut)) return []
    return simpleRoutes(pools, tokenOut, buy, maxHops - 1, [...met, tokenIn]).map((rest) => [step, ...rest])
  })
}

/** Returns what contracts quote for each route. Null if they refuse or cannot take the whole amount. */
export async function quoteRoutes(
  chain: DevnetChain,
  requests: readonly { route: Route; amountIn: bigint }[],
  block: number,
): Promise<(bigint | null)[]> {
  const results = await readContracts(
    chain,
    requests.map(({ route, amountIn }) => quoteRead(chain, route, amountIn)),
    block,
  )
  return results.map((result) => {
    if (result === null) return null
    const [amounts, pricesAfter = []] = result as [bigint | bigint[], bigint[]?]
    if (pricesAfter.some((price) => LIMITS.includes(price))) return null
    return typeof amounts === 'bigint' ? amounts : (amounts.at(-1) ?? null)
  })
}

function quoteRead({ contracts }: DevnetChain, route: Route, amountIn: bigint): Read {
  const isAll = (kind: string) => route.every(({ pool }) => pool.kind === kind)
  if (isAll('uniswap-v2')) {
    return { to: contracts.v2Router, signature: V2_QUOTE, args: [amountIn, tokensOf(route)] }
  }
  if (isAll('uniswap-v3') && contracts.uniswapV3) {
    const path = [
      zeroPadValue(route[0]?.tokenIn ?? '0x', 20),
      ...route.flatMap(({ pool, tokenOut }) => [zeroPadValue(toBeHex(pool.fee), 3), tokenOut]),
    ]
    return { to: contracts.uniswapV3.quoterV2, signature: V3_QUOTE, args: [concat(path), amountIn] }
  }
  const hops = route.map(({ pool, tokenIn, tokenOut }) => [pool.address, pool.kind !== 'uniswap-v2', tokenIn, tokenOut])
  return { to: contracts.devRouter, signature: DEV_QUOTE, args: [hops, amountIn] }
}

function tokensOf(route: Route): string[] {
  return [...route.slice(0, 1).map(({ tokenIn }) => tokenIn), ...route.map(({ tokenOut }) => tokenOut)]
}
