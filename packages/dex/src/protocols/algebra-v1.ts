import { addressTopic, addressWord, callData, hasWords, uintWord } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { FeeEvent } from '../pool-event.ts'
import type { ConcentratedState, MovingFee } from '../pool-state.ts'
import type { Answers, CreatedPool, Protocol, StateReading } from './protocol.ts'
import { readConcentratedState, uniswapV3 } from './uniswap-v3.ts'

/** Fee(uint16 fee), emitted before the Swap, Mint or Burn of the same call */
const FEE: Hex = '0x598b9f043c813aa6be3426ca60d1c65d17256312890be5118dab55b0775ebe2a'
/** Pool(address indexed token0, address indexed token1, address pool) */
const POOL: Hex = '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db'
/** poolByPair(address,address) */
const POOL_BY_PAIR: Hex = '0xd9a641e1'

export const GLOBAL_STATE: Hex = '0xe76c01e4'
export const LIQUIDITY: Hex = '0x1a686502'
/** tickTable(int16) */
const TICK_TABLE: Hex = '0xc677e3e0'
/** ticks(int24) */
const TICKS: Hex = '0xf30dba93'

const FEE_UNITS = 1_000_000n

/** Initialised ticks; the table's bits stand for multiples of the tick spacing. */
export const ALGEBRA_TICKS: NonNullable<StateReading['ticks']> = {
  bitmap: ({ address }, word) => ({ to: address, data: callData(TICK_TABLE, word) }),
  tick: ({ address }, tick) => ({ to: address, data: callData(TICKS, tick) }),
}

/**
 * Algebra V1 (QuickSwap V3): one pool for two tokens, with the events of Uniswap V3 and one fee that an oracle of the
 * pool moves. What the community takes of the fee does not change what a swap gives.
 *
 * The fee is the last one that was set. The pool sets it anew with the first swap or change of liquidity of a block,
 * from the volatility up to there: that swap may pay another fee than was told before it.
 */
export const algebraV1: Protocol = {
  kind: 'algebra-v1',
  family: 'concentrated',
  events: { ...uniswapV3.events, [FEE]: decodeFee },
  priceTopics: uniswapV3.priceTopics,
  identity: {
    by: 'factory',
    vouchCall: ({ token0, token1 }) => callData(POOL_BY_PAIR, token0, token1),
    settle: ({ tickSpacing }) => (tickSpacing === null ? null : { fee: 0, tickSpacing }),
  },
  state: {
    // The first fee is a constant of the pool's code, told by no event.
    beginsRead: true,
    questions: ({ address }) => [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to: address, data })),
    read: (_pool, answers) => readAlgebraState(answers, { words: 7, feeWord: 2 }),
    ticks: ALGEBRA_TICKS,
  },
  creation: { topic: POOL, read: decodePool },
  lookupCalls: (tokenA, tokenB) => [callData(POOL_BY_PAIR, tokenA, tokenB)],
}

/** The state in the answers to globalState() of so many words, the fee at one of them, and to liquidity(). */
export function readAlgebraState(
  answers: Answers,
  { words, feeWord }: { words: number; feeWord: number },
): (ConcentratedState & { fee: MovingFee }) | null {
  const [globalState] = answers
  const state = readConcentratedState(answers)
  if (state === null || !globalState || !hasWords(globalState, words)) return null
  const fee = uintWord(globalState, feeWord)
  return fee < FEE_UNITS ? { ...state, fee: { ...bothWays(fee), exact: true } } : null
}

/** A change of the fee that a log of the pool tells. */
export function feeEvent({ address: pool, transactionIndex, logIndex }: Log, change: Partial<MovingFee>): FeeEvent {
  return { type: 'fee', family: 'concentrated', pool, transactionIndex, logIndex, change }
}

function decodeFee(log: Log): FeeEvent | null {
  const { data, topics } = log
  if (topics.length !== 1 || !hasWords(data, 1)) return null
  const fee = uintWord(data, 0)
  return fee < FEE_UNITS ? feeEvent(log, bothWays(fee)) : null
}

function bothWays(fee: bigint): Pick<MovingFee, 'zeroForOne' | 'oneForZero'> {
  return { zeroForOne: Number(fee), oneForZero: Number(fee) }
}

function decodePool(log: Log): CreatedPool | null {
  const [, token0, token1] = log.topics
  if (token0 === undefined || token1 === undefined || !hasWords(log.data, 1)) return null
  const tokens = { token0: addressTopic(token0), token1: addressTopic(token1) }
  const lookupCall = callData(POOL_BY_PAIR, tokens.token0, tokens.token1)
  return { pool: addressWord(log.data, 0), ...tokens, lookupCall }
}
