import { type Address, builtInDeployments, type Deployment, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ContractPool, ContractToken } from '../contracts/call-contract.ts'
import { Q96, sqrt, tickAt } from '../pool-math.ts'
import { addressOf } from './digest.ts'

export interface ScriptedToken extends ContractToken {
  /** Initial price in whole USD. */
  usd: number
}

export interface ScriptedPool extends ContractPool {
  token0: ScriptedToken
  token1: ScriptedToken
  /** Null for a V2 pair. */
  tickSpacing: number | null
  bornAt: number
}

export type ScriptedState =
  | { kind: 'pair'; reserve0: bigint; reserve1: bigint }
  | {
      kind: 'concentrated'
      sqrtPriceX96: bigint
      tick: number
      liquidity: bigint
      ticks: ReadonlyMap<number, { gross: bigint; net: bigint }>
    }

export type PoolStates = ReadonlyMap<Address, ScriptedState>

export interface ScriptedMarket {
  network: NetworkName
  deployment: Deployment
  tokens: readonly ScriptedToken[]
  wrapped: ScriptedToken
  pools: readonly ScriptedPool[]
  impostor: Address
}

/** Initial value of each side of a pool. */
const SIDE_USD = 5_000_000
const FULL_RANGE = 800_000

const BNB_CHAIN = 56
/** A token that BNB Chain's client implements itself (BEP-702). Its code is one byte. */
export const PRECOMPILED_TOKEN: Address = `0xca52${'0'.repeat(16)}${'a1'.repeat(10)}`

export function scriptedMarket(network: NetworkName, finalityDepth: number): ScriptedMarket {
  const token = (symbol: string, decimals: number, usd: number): ScriptedToken => ({
    address: addressOf(network, symbol),
    symbol,
    decimals,
    usd,
  })
  const wrapped = token('WCOIN', 18, 2_000)
  const usdc = token('USDC', 6, 1)
  const realUsdt = builtInDeployments[network].tokens.find(({ symbol }) => symbol === 'USDT')
  const usdt = token('USDT', realUsdt?.decimals ?? 6, 1)
  const precompiled = NETWORKS[network].chainId === BNB_CHAIN && { address: PRECOMPILED_TOKEN }
  const [alpha, beta] = [{ ...token('ALPHA', 18, 5), ...precompiled }, token('BETA', 8, 100)]
  const pairFactory = addressOf(network, 'pair factory')
  const rangeFactory = addressOf(network, 'range factory')
  const pool = (a: ScriptedToken, b: ScriptedToken, fee: number, bornAt: number): ScriptedPool => {
    const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
    const isPair = fee === 0
    return {
      address: addressOf(network, 'pool', a.symbol, b.symbol, fee),
      factory: isPair ? pairFactory : rangeFactory,
      token0,
      token1,
      fee: isPair ? 3_000 : fee,
      tickSpacing: isPair ? null : fee / 50,
      bornAt,
    }
  }
  const deployment: Deployment = {
    network,
    wrappedNative: wrapped.address,
    stablecoins: [usdc.address, usdt.address],
    anchors: [],
    dexes: [
      { name: 'scripted-v2', kind: 'uniswap-v2', factory: pairFactory, feeBps: 30 },
      { name: 'scripted-v3', kind: 'uniswap-v3', factory: rangeFactory },
    ],
    tokens: [{ address: usdc.address, symbol: 'USDC', name: 'USDC', decimals: 6 }],
    finalityDepth,
  }
  const pools = [
    pool(wrapped, usdc, 0, 1),
    pool(wrapped, usdt, 0, 1),
    pool(wrapped, usdc, 10_000, 1),
    pool(usdc, usdt, 0, 2),
    pool(alpha, wrapped, 0, 3),
    pool(alpha, usdc, 10_000, 4),
    pool(beta, wrapped, 0, 40),
    pool(alpha, beta, 0, 70),
    pool(beta, wrapped, 10_000, 100),
  ]
  const tokens = [wrapped, usdc, usdt, alpha, beta]
  return { network, deployment, tokens, wrapped, pools, impostor: addressOf(network, 'impostor') }
}

/**
 * Converts USD to base units at the initial price.
 *
 * @param milliUsd in thousandths of a USD
 */
export function unitsWorth({ decimals, usd }: ScriptedToken, milliUsd: number): bigint {
  return (BigInt(milliUsd) * 10n ** BigInt(decimals)) / (1000n * BigInt(usd))
}

export function firstState({ token0, token1, tickSpacing }: ScriptedPool): ScriptedState {
  const [reserve0, reserve1] = [unitsWorth(token0, SIDE_USD * 1000), unitsWorth(token1, SIDE_USD * 1000)]
  if (tickSpacing === null) return { kind: 'pair', reserve0, reserve1 }
  const sqrtPriceX96 = sqrt((reserve1 * Q96 * Q96) / reserve0)
  const liquidity = sqrt(reserve0 * reserve1)
  const edge = Math.floor(FULL_RANGE / tickSpacing) * tickSpacing
  const ticks = new Map([
    [-edge, { gross: liquidity, net: liquidity }],
    [edge, { gross: liquidity, net: -liquidity }],
  ])
  return { kind: 'concentrated', sqrtPriceX96, tick: tickAt(sqrtPriceX96), liquidity, ticks }
}
