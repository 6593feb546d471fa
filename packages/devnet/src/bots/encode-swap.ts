import { type Address, type Hex, ZERO_ADDRESS } from '@dexfeed/dex'
import { concat, toBeHex, zeroPadValue } from 'ethers'
import type { Artifacts, DevnetContracts, DevnetPool } from '../deployment/contracts.ts'
import type { DevTransaction } from '../node/session.ts'
import type { Random } from '../random.ts'

export interface RouteStep {
  pool: DevnetPool
  tokenIn: Address
  tokenOut: Address
}

interface RouteBook {
  /** Returns a random route of at most `hops` pools that visits no token twice. */
  random(hops: number, random: Random): RouteStep[]
  parallel(random: Random): RouteStep[]
  cycle(random: Random): RouteStep[]
}

export function createRouteBook(pools: readonly DevnetPool[], taxed: ReadonlySet<Address>): RouteBook {
  const byToken = new Map<Address, DevnetPool[]>()
  const byPair = new Map<string, DevnetPool[]>()
  for (const pool of pools) {
    for (const token of [pool.token0, pool.token1]) byToken.set(token, [...(byToken.get(token) ?? []), pool])
    const pair = `${pool.token0}${pool.token1}`
    byPair.set(pair, [...(byPair.get(pair) ?? []), pool])
  }
  const untaxed = ({ token0, token1 }: DevnetPool) => !taxed.has(token0) && !taxed.has(token1)
  const deepPairs = [...byPair.values()].filter((pair) => pair.length > 1 && pair.every(untaxed))

  const shuffledPair = (random: Random) => {
    const pair = [...random.pick(deepPairs)]
    if (random.next() < 0.5) pair.reverse()
    const [tokenIn, tokenOut] = direction(random.pick(pair), random)
    return pair.map((pool): RouteStep => ({ pool, tokenIn, tokenOut }))
  }

  return {
    random(hops, random) {
      const first = random.pick(pools)
      const [tokenIn, tokenOut] = direction(first, random)
      const route: RouteStep[] = [{ pool: first, tokenIn, tokenOut }]
      const visited = new Set([tokenIn, tokenOut])
      while (route.length < hops) {
        const at = route.at(-1)?.tokenOut ?? tokenOut
        const onward = (byToken.get(at) ?? []).filter((pool) => !visited.has(other(pool, at)))
        if (onward.length === 0) break
        const pool = random.pick(onward)
        route.push({ pool, tokenIn: at, tokenOut: other(pool, at) })
        visited.add(other(pool, at))
      }
      return route
    },
    parallel: (random) => shuffledPair(random).slice(0, 3),
    cycle(random) {
      const [out, back] = shuffledPair(random)
      if (!out || !back) throw new Error('a pair of one pool has no cycle')
      return [out, { pool: back.pool, tokenIn: back.tokenOut, tokenOut: back.tokenIn }]
    },
  }
}

function direction({ token0, token1 }: DevnetPool, random: Random): [Address, Address] {
  return random.next() < 0.5 ? [token0, token1] : [token1, token0]
}

function other(pool: DevnetPool, token: Address): Address {
  return pool.token0 === token ? pool.token1 : pool.token0
}

const FOREVER = 10n ** 12n
const UNREACHABLE = 2n ** 127n

interface SwapOrder {
  trader: Address
  /** Branches from one token to another, usually only one. */
  branches: readonly { route: readonly RouteStep[]; amountIn: bigint }[]
  nativeIn: boolean
  nativeOut: boolean
  /** Demand more than the market gives, so that the swap reverts. */
  hopeless: boolean
  taxed: boolean
}

type Encode = (order: SwapOrder, context: { contracts: DevnetContracts; artifacts: Artifacts }) => DevTransaction

export const encodeSwap: Encode = (order, context) => {
  const [branch, second] = order.branches
  if (!branch) throw new Error('an order without a branch')
  const kinds = new Set(branch.route.map(({ pool }) => pool.kind))
  const alone = second === undefined && kinds.size === 1 && branch.route[0]?.tokenIn !== branch.route.at(-1)?.tokenOut
  if (alone && kinds.has('uniswap-v2')) return encodeV2(order, context)
  if (alone && kinds.has('uniswap-v3') && context.contracts.uniswapV3) return encodeV3(order, context)
  return encodeMixed(order, context)
}

const encodeV2: Encode = (order, { contracts, artifacts }) => {
  const { route, amountIn } = onlyBranch(order)
  const path = [...route.map(({ tokenIn }) => tokenIn), route.at(-1)?.tokenOut]
  const from = order.nativeIn ? 'ETH' : 'Tokens'
  const to = order.nativeOut ? 'ETH' : 'Tokens'
  const method = `swapExact${from}For${to}${order.taxed ? 'SupportingFeeOnTransferTokens' : ''}`
  const args = [...(order.nativeIn ? [] : [amountIn]), minimum(order), path, order.trader, FOREVER]
  const data = artifacts.v2Router.abi.encodeFunctionData(method, args) as Hex
  return { ...sender(order, amountIn), to: contracts.v2Router, data }
}

const encodeV3: Encode = (order, { contracts, artifacts }) => {
  const { route, amountIn } = onlyBranch(order)
  const { abi } = artifacts.swapRouter
  // The zero address makes the router keep the output, which it then unwraps.
  const recipient = order.nativeOut ? ZERO_ADDRESS : order.trader
  const [step, next] = route
  const swap =
    step && !next
      ? abi.encodeFunctionData('exactInputSingle', [
          [step.tokenIn, step.tokenOut, step.pool.fee, recipient, FOREVER, amountIn, minimum(order), 0],
        ])
      : abi.encodeFunctionData('exactInput', [[packedPath(route), recipient, FOREVER, amountIn, minimum(order)]])
  const unwrap = () => abi.encodeFunctionData('unwrapWETH9', [0, order.trader])
  const data = (order.nativeOut ? abi.encodeFunctionData('multicall', [[swap, unwrap()]]) : swap) as Hex
  return { ...sender(order, amountIn), to: contracts.uniswapV3?.swapRouter ?? ZERO_ADDRESS, data }
}

const encodeMixed: Encode = (order, { contracts, artifacts }) => {
  const branches = order.branches.map(({ route, amountIn }) => [amountIn, route.map(devRouterHop)])
  const data = artifacts.devRouter.abi.encodeFunctionData('swap', [branches, minimum(order), order.nativeOut]) as Hex
  const total = order.branches.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  return { ...sender(order, total), to: contracts.devRouter, data }
}

function devRouterHop({ pool, tokenIn, tokenOut }: RouteStep): [Address, boolean, Address, Address] {
  return [pool.address, pool.tickSpacing !== null, tokenIn, tokenOut]
}

/** Returns Uniswap V3's packed path: token, fee, token, fee, token. */
function packedPath(route: readonly RouteStep[]): Hex {
  const first = route[0]?.tokenIn ?? '0x'
  const steps = route.flatMap(({ pool, tokenOut }) => [zeroPadValue(toBeHex(pool.fee), 3), tokenOut])
  return concat([first, ...steps]) as Hex
}

function minimum({ hopeless }: SwapOrder): bigint {
  return hopeless ? UNREACHABLE : 0n
}

function sender({ trader, nativeIn, hopeless }: SwapOrder, amountIn: bigint) {
  return { from: trader, value: nativeIn ? amountIn : 0n, mayRevert: hopeless }
}

function onlyBranch({ branches }: SwapOrder) {
  const [branch] = branches
  if (!branch) throw new Error('an order without a branch')
  return branch
}
