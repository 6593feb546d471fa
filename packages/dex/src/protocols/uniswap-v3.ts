import {
  addressTopic,
  addressWord,
  callData,
  hasWords,
  intWord,
  smallIntTopic,
  smallIntWord,
  uintWord,
  WORD,
} from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { FeeEvent, InitializeEvent, LiquidityEvent, SwapEvent } from '../pool-event.ts'
import type { ConcentratedState } from '../pool-state.ts'
import type { Answers, CreatedPool, Protocol } from './protocol.ts'

/** Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick) */
const SWAP: Hex = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
/** Initialize(uint160 sqrtPriceX96, int24 tick) */
const INITIALIZE: Hex = '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95'
/** Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1) */
const MINT: Hex = '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde'
/** Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1) */
const BURN: Hex = '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c'
/** PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool) */
const POOL_CREATED: Hex = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118'
/** getPool(address,address,uint24) */
const GET_POOL: Hex = '0x1698ee82'

const SLOT0: Hex = '0x3850c7bd'
const LIQUIDITY: Hex = '0x1a686502'
/** tickBitmap(int16) */
const TICK_BITMAP: Hex = '0x5339c296'
/** ticks(int24) */
const TICKS: Hex = '0xf30dba93'

/** Fee tiers that Uniswap V3 factories have enabled on mainnets, in millionths. */
const FEE_TIERS = [100, 200, 300, 400, 500, 3000, 10_000]

/** Uniswap V3 and forks with its events and its factory. */
export const uniswapV3: Protocol = {
  kind: 'uniswap-v3',
  family: 'concentrated',
  events: {
    [SWAP]: (log) => decodeConcentratedSwap(log, 5),
    [INITIALIZE]: decodeInitialize,
    [MINT]: decodeMint,
    [BURN]: (log) => decodeBurn(log, 3),
  },
  priceTopics: [SWAP],
  identity: {
    by: 'factory',
    vouchCall: ({ token0, token1, fee }) => callData(GET_POOL, token0, token1, fee ?? 0),
  },
  state: {
    questions: ({ address }) => [SLOT0, LIQUIDITY].map((data) => ({ to: address, data })),
    read: (_pool, answers) => readConcentratedState(answers),
    ticks: {
      bitmap: ({ address }, word) => ({ to: address, data: callData(TICK_BITMAP, word) }),
      tick: ({ address }, tick) => ({ to: address, data: callData(TICKS, tick) }),
    },
  },
  creation: { topic: POOL_CREATED, read: decodePoolCreated },
  lookupCalls: (tokenA, tokenB) => FEE_TIERS.map((fee) => callData(GET_POOL, tokenA, tokenB, fee)),
}

/**
 * Reads a Swap whose data begins with amount0, amount1, sqrtPriceX96, liquidity, tick. Amounts are the pool's own view:
 * positive was paid in.
 */
export function decodeConcentratedSwap(log: Log, words: number): SwapEvent | null {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  const recipient = topics[2]
  if (recipient === undefined || topics.length !== 3 || !hasWords(data, words)) return null
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
    recipient: addressTopic(recipient),
  }
}

/**
 * The state in the answers to a slot0 (or globalState, getSlot0) and a liquidity question: the first begins with the
 * root of the price and the tick in every fork, what follows differs.
 */
export function readConcentratedState([slot0, liquidity]: Answers): ConcentratedState | null {
  if (!slot0 || slot0.length < 2 + 2 * WORD || !liquidity || !hasWords(liquidity, 1)) return null
  return {
    kind: 'concentrated',
    sqrtPriceX96: uintWord(slot0, 0),
    tick: smallIntWord(slot0, 1),
    liquidity: uintWord(liquidity, 0),
  }
}

function decodeInitialize(log: Log): InitializeEvent | null {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  if (topics.length !== 1 || !hasWords(data, 2)) return null
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

function decodeMint(log: Log): LiquidityEvent | FeeEvent | null {
  return hasWords(log.data, 4) ? liquidityEvent(log, uintWord(log.data, 1)) : null
}

/** Reads a Burn whose data begins with the liquidity that was taken out. */
export function decodeBurn(log: Log, words: number): LiquidityEvent | FeeEvent | null {
  return hasWords(log.data, words) ? liquidityEvent(log, -uintWord(log.data, 0)) : null
}

function liquidityEvent(log: Log, delta: bigint): LiquidityEvent | FeeEvent | null {
  const [, , lower, upper] = log.topics
  if (lower === undefined || upper === undefined) return null
  const tickLower = smallIntTopic(lower)
  const tickUpper = smallIntTopic(upper)
  const { address: pool, transactionIndex, logIndex } = log
  const from = { family: 'concentrated', pool, transactionIndex, logIndex } as const
  // A range of no width holds no liquidity: Algebra 1.9 tells its limit orders so.
  if (tickLower === tickUpper) return { type: 'fee', ...from, change: { exact: false } }
  return { type: 'liquidity', ...from, tickLower, tickUpper, delta }
}

function decodePoolCreated(log: Log): CreatedPool | null {
  const [, token0, token1, fee] = log.topics
  if (token0 === undefined || token1 === undefined || fee === undefined || !hasWords(log.data, 2)) return null
  const tokens = { token0: addressTopic(token0), token1: addressTopic(token1) }
  const lookupCall = callData(GET_POOL, tokens.token0, tokens.token1, BigInt(fee))
  return { pool: addressWord(log.data, 1), ...tokens, lookupCall }
}
