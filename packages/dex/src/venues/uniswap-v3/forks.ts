import { contractCall } from '../../abi/contract-call.ts'
import { topicOf } from '../../abi/fragment.ts'
import type { Address } from '../../chain/hex.ts'
import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { decodeConcentratedSwap, type FeeTier, LIQUIDITY_TOPICS, tierLookups, uniswapV3 } from './uniswap-v3.ts'

const SWAP =
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)'

const FEE_TIERS: readonly FeeTier[] = [
  [100, 1],
  [500, 10],
  [2500, 50],
  [10_000, 200],
]

export const pancakeswapV3: Protocol = {
  ...uniswapV3,
  kind: 'pancakeswap-v3',
  about: {
    name: 'PancakeSwap V3',
    verifiedBy: 'as Uniswap V3',
    notCovered: null,
  },
  entry: { verifying: 'factory', others: ['poolDeployer'] },
  // Initialize, Mint and Burn are Uniswap V3's; the shorter Swap never occurs.
  events: { ...uniswapV3.events, [SWAP]: decodeConcentratedSwap },
  referenceTopics: [topicOf(SWAP), ...LIQUIDITY_TOPICS],
  lookups: tierLookups(FEE_TIERS),
}

/** Finds pools by tick spacing, because a pool's fee may change. */
const GET_POOL = contractCall<[Address]>('function getPool(address, address, int24) view returns (address)')

/** Has Uniswap V3's Swap. Not quoted, because the fee may change without an event that is read. */
export const solidlyV3: Protocol = {
  kind: 'solidly-v3',
  about: {
    name: 'Solidly V3, Topaz CL, Ramses CL, Aero CL',
    verifiedBy: '`getPool(token0, token1, tickSpacing)` of the factory that the pool names',
    notCovered: null,
  },
  family: 'concentrated',
  events: uniswapV3.events,
  holdsTokens: true,
  identity: {
    by: 'factory',
    poolCall: GET_POOL,
    // No factory has a pool with tick spacing 0.
    argsOf: ({ token0, token1, tickSpacing }) => [token0, token1, tickSpacing ?? 0],
    settle: ({ tickSpacing }) => ({ fee: 0, tickSpacing }),
  },
  state: null,
  ...NO_REFERENCES,
}
