import { type Address, builtInDeployments, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { addressOf } from '../digest.ts'
import { Market, makePool, type Pool, type Token } from '../market.ts'

/** Initial value of each side of a pool. */
const SIDE_USD = 5_000_000
const FULL_RANGE = 800_000

const BNB_CHAIN = 56
/** A token that BNB Chain's client implements itself (BEP-702). Its code is one byte. */
export const PRECOMPILED_TOKEN: Address = `0xca52${'0'.repeat(16)}${'a1'.repeat(10)}`

export function scriptedMarket(network: NetworkName, finalityDepth: number): Market {
  const token = (symbol: string, decimals: number, usd: number): Token => ({
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
  const pair = (a: Token, b: Token, bornAt: number): Pool => {
    const address = addressOf(network, 'pool', a.symbol, b.symbol, 0)
    const terms = { address, kind: 'uniswap-v2', factory: pairFactory, fee: 3_000, tickSpacing: null, bornAt } as const
    return makePool(terms, [a, b], SIDE_USD, () => [])
  }
  const range = (a: Token, b: Token, bornAt: number): Pool => {
    const [fee, tickSpacing] = [10_000, 200]
    const address = addressOf(network, 'pool', a.symbol, b.symbol, fee)
    const terms = { address, kind: 'uniswap-v3', factory: rangeFactory, fee, tickSpacing, bornAt } as const
    return makePool(terms, [a, b], SIDE_USD, () => [[-FULL_RANGE, FULL_RANGE]])
  }
  const pools = [
    pair(wrapped, usdc, 1),
    pair(wrapped, usdt, 1),
    range(wrapped, usdc, 1),
    pair(usdc, usdt, 2),
    pair(alpha, wrapped, 3),
    range(alpha, usdc, 4),
    pair(beta, wrapped, 40),
    pair(alpha, beta, 70),
    range(beta, wrapped, 100),
  ]
  const deployment = {
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
  } as const
  return new Market(deployment, [wrapped, usdc, usdt, alpha, beta], pools)
}
