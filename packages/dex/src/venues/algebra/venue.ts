import { contractCall, contractEvent, selectorOf, topicOf } from '../../abi/contract-abi.ts'
import { callData, hasWords, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { FeeEvent } from '../../pool-event.ts'
import { type ConcentratedState, feeBothWays, type MovingFee } from '../../pool-state.ts'
import { readTick, scanByViews } from '../../tick-scan/tick-scan.ts'
import {
  type CallResults,
  type CreatedPool,
  type Identity,
  NO_REFERENCES,
  type Protocol,
  type StateReading,
  type Venue,
} from '../protocol.ts'
import { decodeBurn, decodeConcentratedSwap, readConcentratedState, uniswapV3 } from '../uniswap-v3/venue.ts'
import deployments from './deployments.json' with { type: 'json' }

/** Emitted before the Swap, Mint or Burn of the same call. */
const FEE = 'event Fee(uint16 fee)'
const POOL_BY_PAIR = contractCall<[Address]>('function poolByPair(address, address) view returns (address)')
const POOL = contractEvent(
  'event Pool(address indexed token0, address indexed token1, address pool)',
  ([token0, token1, pool]: [Address, Address, Address]): CreatedPool => {
    return { pool, token0, token1, lookupCall: () => POOL_BY_PAIR.data(token0, token1) }
  },
)
const GLOBAL_STATE = selectorOf('function globalState() view returns (uint160 price, int24 tick)')
const LIQUIDITY = selectorOf('function liquidity() view returns (uint128)')
const TICK_TABLE = selectorOf('function tickTable(int16) view returns (uint256)')
const TICKS = selectorOf('function ticks(int24) view returns (uint128 liquidityTotal, int128 liquidityDelta)')

/** The bitmap has a bit for each multiple of the tick spacing. */
const ALGEBRA_TICKS: NonNullable<StateReading['ticks']> = {
  bitmap: ({ address }, word) => ({ to: address, data: callData(TICK_TABLE, word) }),
  tick: ({ address }, tick) => ({ to: address, data: callData(TICKS, tick) }),
  scan: scanByViews(TICK_TABLE, TICKS),
}

/**
 * One pool per pair, with Uniswap V3's events and a fee set by an oracle; the community's part of the fee does not
 * change outputs. A block's first swap or liquidity change adjusts the fee to volatility, so the next swap may pay
 * another fee than the last event shows.
 */
const algebraV1: Protocol = {
  kind: 'algebra-v1',
  about: {
    name: 'Algebra V1 (QuickSwap V3)',
    verifiedBy: '`poolByPair(token0, token1)` of the factory that the pool names',
    notCovered: "the fee that the oracle sets with the next block's first swap",
  },
  family: 'concentrated',
  entry: { verifying: 'factory', others: ['poolDeployer'] },
  events: { ...uniswapV3.events, [FEE]: decodeFee },
  referenceTopics: uniswapV3.referenceTopics,
  holdsTokens: true,
  identity: {
    by: 'factory',
    poolCall: POOL_BY_PAIR,
    argsOf: ({ token0, token1 }) => [token0, token1],
    settle: ({ tickSpacing }) => (tickSpacing === null ? null : { fee: 0, tickSpacing }),
  },
  state: {
    // The initial fee is a constant of the code and in no event.
    beginsRead: true,
    *steps({ address }) {
      const results = yield [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to: address, data }))
      return readAlgebraState(results, { words: 7, feeWord: 2 })
    },
    ticks: ALGEBRA_TICKS,
  },
  creation: POOL,
  // The owner may change the spacing.
  lookups: (tokenA, tokenB) => [{ data: POOL_BY_PAIR.data(tokenA, tokenB), tickSpacing: 1 }],
}

function readAlgebraState(
  results: CallResults,
  { words, feeWord }: { words: number; feeWord: number },
): (ConcentratedState & { fee: MovingFee }) | null {
  const [globalState] = results
  const state = readConcentratedState(results)
  if (state === null || !globalState || !hasWords(globalState, words)) return null
  const fee = feeBothWays(uintWord(globalState, feeWord))
  return fee && { ...state, fee: { ...fee, exact: true } }
}

function feeEvent({ address: pool, transactionIndex, logIndex }: Log, change: Partial<MovingFee>): FeeEvent {
  return { type: 'fee', family: 'concentrated', pool, transactionIndex, logIndex, change }
}

function decodeFee(log: Log): FeeEvent | null {
  const fee = feeBothWays(uintWord(log.data, 0))
  return fee && feeEvent(log, fee)
}

const LIMIT_ORDER_SPACING = selectorOf('function tickSpacingLimitOrders() view returns (int24)')

const TICK_WORDS = 9
const LIMIT_ORDERS_WORD = 8

const { identity } = algebraV1

/** Like V1's, but the tick spacing may change, and swaps go from one initialised tick to the next. */
const ALGEBRA_LIST_IDENTITY: Identity =
  identity.by === 'factory' ? { ...identity, settle: () => ({ fee: 0, tickSpacing: 0 }) } : identity

const ALGEBRA_LIST_TICKS: NonNullable<StateReading['ticks']> = { ...ALGEBRA_TICKS, bitSpacing: 1 }

/**
 * @cryptoalgebra/core 3: V1 plus limit orders. Pools with such orders are not quoted, even if the first one came after
 * the state was read.
 */
const algebraV19: Protocol = {
  ...algebraV1,
  kind: 'algebra-v1.9',
  about: {
    name: 'Algebra 1.9',
    verifiedBy: 'as Algebra V1',
    notCovered: 'as Algebra V1; quotes of pools with limit orders',
  },
  identity: ALGEBRA_LIST_IDENTITY,
  state: {
    beginsRead: true,
    *steps({ address }) {
      const results = yield [GLOBAL_STATE, LIQUIDITY, LIMIT_ORDER_SPACING].map((data) => ({ to: address, data }))
      return results[2] ? readAlgebraState(results, { words: 7, feeWord: 3 }) : null
    },
    ticks: {
      ...ALGEBRA_LIST_TICKS,
      read: (tick, reply) =>
        hasWords(reply, TICK_WORDS) && uintWord(reply, LIMIT_ORDERS_WORD) === 0n ? readTick(tick, reply) : null,
      scan: scanByViews(TICK_TABLE, TICKS, { words: TICK_WORDS, at: LIMIT_ORDERS_WORD }),
    },
  },
}

/** Not quoted, because its fees are not tracked. */
const algebraDirectional: Protocol = {
  kind: 'algebra-directional',
  about: {
    name: 'Algebra 1.9 with a fee per direction (THENA Fusion)',
    verifiedBy: 'as Algebra V1',
    notCovered: null,
  },
  family: 'concentrated',
  events: uniswapV3.events,
  holdsTokens: true,
  identity: ALGEBRA_LIST_IDENTITY,
  state: null,
  ...NO_REFERENCES,
  creation: POOL,
}

/** @cryptoalgebra/integral-core 1.2.10 emits Uniswap V3's Swap instead. */
const SWAP =
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)'
const BURN =
  'event Burn(address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 liquidityAmount, uint256 amount0, uint256 amount1, uint24 pluginFee)'
const PLUGIN_CONFIG = 'event PluginConfig(uint8 newPluginConfig)'

/** Plugins.BEFORE_SWAP_FLAG: the plugin may replace or raise the pool's fee. */
const BEFORE_SWAP = 1n
const CONFIG_WORD = 3

/** Custom pools cannot be verified: the factory finds them by their deployer, which the pools do not reveal. */
const algebraIntegral: Protocol = {
  ...algebraV1,
  kind: 'algebra-integral',
  about: {
    name: 'Algebra Integral (QuickSwap V4, THENA Integral, W-DEX)',
    verifiedBy: 'as Algebra V1',
    notCovered: 'custom pools; quotes of pools whose plugin is called before swaps',
  },
  entry: { verifying: 'factory', others: ['poolDeployer'] },
  events: {
    ...algebraV1.events,
    [SWAP]: decodeConcentratedSwap,
    [BURN]: decodeBurn,
    [PLUGIN_CONFIG]: (log) => feeEvent(log, { exact: (uintWord(log.data, 0) & BEFORE_SWAP) === 0n }),
  },
  referenceTopics: [...algebraV1.referenceTopics, topicOf(SWAP), topicOf(BURN)],
  identity: ALGEBRA_LIST_IDENTITY,
  state: {
    beginsRead: true,
    *steps({ address }) {
      const results = yield [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to: address, data }))
      const state = readAlgebraState(results, { words: 6, feeWord: 2 })
      const config = results[0] ? uintWord(results[0], CONFIG_WORD) : null
      return state === null || config === null || (config & BEFORE_SWAP) !== 0n ? null : state
    },
    ticks: ALGEBRA_LIST_TICKS,
  },
}

export const venue: Venue = { protocols: [algebraV1, algebraDirectional, algebraV19, algebraIntegral], deployments }
