import { contractCall, contractEvent, selectorOf, topicOf } from '../../abi/contract-abi.ts'
import {
  addressTopic,
  callData,
  hasWords,
  intWord,
  smallIntTopic,
  smallIntWord,
  uintWord,
  WORD,
} from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { FeeEvent, InitializeEvent, LiquidityEvent, SwapEvent } from '../../pool-event.ts'
import type { ConcentratedState } from '../../pool-state.ts'
import { scanByViews } from '../../tick-scan/tick-scan.ts'
import { type CallResults, type CreatedPool, NO_REFERENCES, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)'
const INITIALIZE = 'event Initialize(uint160 sqrtPriceX96, int24 tick)'
const MINT =
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)'
const BURN =
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)'
export const GET_POOL = contractCall<[Address]>('function getPool(address, address, uint24) view returns (address)')
const POOL_CREATED = contractEvent(
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  ([token0, token1, fee, , pool]: [Address, Address, bigint, bigint, Address]): CreatedPool => {
    return { pool, token0, token1, lookupCall: () => GET_POOL.data(token0, token1, fee) }
  },
)
const SLOT0 = selectorOf('function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)')
const LIQUIDITY = selectorOf('function liquidity() view returns (uint128)')
const TICK_BITMAP = selectorOf('function tickBitmap(int16) view returns (uint256)')
const TICKS = selectorOf('function ticks(int24) view returns (uint128 liquidityGross, int128 liquidityNet)')

const FEE_TIERS: readonly FeeTier[] = [
  [100, 1],
  [200, 1],
  [300, 1],
  [400, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
]

/** A fee in millionths and its tick spacing, which is 1 if factories differ. */
type FeeTier = readonly [fee: number, tickSpacing: number]

const LIQUIDITY_TOPICS = [topicOf(MINT), topicOf(BURN)]

export const uniswapV3: Protocol = {
  kind: 'uniswap-v3',
  about: {
    name: 'Uniswap V3 and its forks',
    verifiedBy: '`getPool(token0, token1, fee)` of the factory that the pool names',
    notCovered: null,
  },
  family: 'concentrated',
  events: {
    [SWAP]: decodeConcentratedSwap,
    [INITIALIZE]: decodeInitialize,
    [MINT]: (log) => liquidityEvent(log, uintWord(log.data, 1), 2),
    [BURN]: decodeBurn,
  },
  referenceTopics: [topicOf(SWAP), ...LIQUIDITY_TOPICS],
  holdsTokens: true,
  paysAtOnce: true,
  // No factory has a pool with fee 0.
  identity: { by: 'factory', poolCall: GET_POOL, argsOf: ({ token0, token1, fee }) => [token0, token1, fee ?? 0] },
  state: {
    *steps({ address }) {
      return readConcentratedState(yield [SLOT0, LIQUIDITY].map((data) => ({ to: address, data })))
    },
    ticks: {
      bitmap: ({ address }, word) => ({ to: address, data: callData(TICK_BITMAP, word) }),
      tick: ({ address }, tick) => ({ to: address, data: callData(TICKS, tick) }),
      scan: scanByViews(TICK_BITMAP, TICKS),
    },
  },
  creation: POOL_CREATED,
  lookups: tierLookups(FEE_TIERS),
}

function tierLookups(tiers: readonly FeeTier[]): Protocol['lookups'] {
  return (tokenA, tokenB) =>
    tiers.map(([fee, tickSpacing]) => ({ data: GET_POOL.data(tokenA, tokenB, fee), tickSpacing }))
}

/**
 * Decodes a Swap whose data begins with amount0, amount1 (positive amounts enter the pool), sqrtPriceX96, liquidity and
 * tick.
 */
export function decodeConcentratedSwap(log: Log): SwapEvent {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  return {
    type: 'swap',
    family: 'concentrated',
    pool,
    transactionIndex,
    logIndex,
    amount0: intWord(data, 0),
    amount1: intWord(data, 1),
    state: {
      kind: 'concentrated',
      sqrtPriceX96: uintWord(data, 2),
      liquidity: uintWord(data, 3),
      tick: smallIntWord(data, 4),
    },
    recipient: addressTopic(topics, 2),
  }
}

/**
 * Reads the results of slot0 (globalState, getSlot0), which begins with root price and tick in every fork, and of
 * liquidity.
 */
export function readConcentratedState([slot0, liquidity]: CallResults): ConcentratedState | null {
  if (!slot0 || slot0.length < 2 + 2 * WORD || !liquidity || !hasWords(liquidity, 1)) return null
  return {
    kind: 'concentrated',
    sqrtPriceX96: uintWord(slot0, 0),
    tick: smallIntWord(slot0, 1),
    liquidity: uintWord(liquidity, 0),
  }
}

function decodeInitialize({ address: pool, data, transactionIndex, logIndex }: Log): InitializeEvent {
  return {
    type: 'initialize',
    family: 'concentrated',
    pool,
    transactionIndex,
    logIndex,
    sqrtPriceX96: uintWord(data, 0),
    tick: smallIntWord(data, 1),
  }
}

export function decodeBurn(log: Log): LiquidityEvent | FeeEvent {
  return liquidityEvent(log, -uintWord(log.data, 0), 1)
}

/** @param amount the word of amount0, which amount1 follows; they exclude fees */
function liquidityEvent(log: Log, delta: bigint, amount: number): LiquidityEvent | FeeEvent {
  const { address: pool, topics, data, transactionIndex, logIndex } = log
  const tickLower = smallIntTopic(topics, 2)
  const tickUpper = smallIntTopic(topics, 3)
  const from = { family: 'concentrated', pool, transactionIndex, logIndex } as const
  // An empty range holds no liquidity: Algebra 1.9 reports its limit orders this way.
  if (tickLower === tickUpper) return { type: 'fee', ...from, change: { exact: false } }
  const amounts = [uintWord(data, amount), uintWord(data, amount + 1)] as const
  return { type: 'liquidity', ...from, tickLower, tickUpper, delta, amounts }
}

const PANCAKESWAP_SWAP =
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)'

const PANCAKESWAP_FEE_TIERS: readonly FeeTier[] = [
  [100, 1],
  [500, 10],
  [2500, 50],
  [10_000, 200],
]

const pancakeswapV3: Protocol = {
  ...uniswapV3,
  kind: 'pancakeswap-v3',
  about: {
    name: 'PancakeSwap V3',
    verifiedBy: 'as Uniswap V3',
    notCovered: null,
  },
  entry: { verifying: 'factory', others: ['poolDeployer'] },
  // Initialize, Mint and Burn are Uniswap V3's; the shorter Swap never occurs.
  events: { ...uniswapV3.events, [PANCAKESWAP_SWAP]: decodeConcentratedSwap },
  referenceTopics: [topicOf(PANCAKESWAP_SWAP), ...LIQUIDITY_TOPICS],
  lookups: tierLookups(PANCAKESWAP_FEE_TIERS),
}

/** Finds pools by tick spacing, because a pool's fee may change. */
const GET_POOL_BY_SPACING = contractCall<[Address]>('function getPool(address, address, int24) view returns (address)')

const POOL_CREATED_BY_SPACING = contractEvent(
  'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
  ([, , , pool]: [Address, Address, bigint, Address]) => pool,
)

/** Has Uniswap V3's Swap. Not quoted, because the fee may change without an event that is read. */
const solidlyV3: Protocol = {
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
    poolCall: GET_POOL_BY_SPACING,
    // No factory has a pool with tick spacing 0.
    argsOf: ({ token0, token1, tickSpacing }) => [token0, token1, tickSpacing ?? 0],
    settle: ({ tickSpacing }) => ({ fee: 0, tickSpacing }),
  },
  created: [POOL_CREATED_BY_SPACING],
  state: null,
  ...NO_REFERENCES,
  creation: POOL_CREATED,
}

export const venue: Venue = { protocols: [uniswapV3, pancakeswapV3, solidlyV3], deployments }
