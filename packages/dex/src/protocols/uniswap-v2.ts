import { addressTopic, addressWord, callData, hasWords, uintWord } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { ReservesEvent, SwapEvent } from '../pool-event.ts'
import type { CreatedPool, Protocol, StateReading } from './protocol.ts'

/** Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to) */
const SWAP: Hex = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
/** Sync(uint112 reserve0, uint112 reserve1), emitted before the Swap of the same call */
const SYNC: Hex = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'
/** PairCreated(address indexed token0, address indexed token1, address pair, uint256) */
const PAIR_CREATED: Hex = '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9'
/** getPair(address,address) */
const GET_PAIR: Hex = '0xe6a43905'
const GET_RESERVES: Hex = '0x0902f1ac'

/** Reserves, as getReserves() tells them. */
const PAIR_STATE: StateReading = {
  questions: ({ address }) => [{ to: address, data: GET_RESERVES }],
  read: (_pool, [reserves]) =>
    reserves && hasWords(reserves, 3)
      ? { kind: 'pair', reserve0: uintWord(reserves, 0), reserve1: uintWord(reserves, 1) }
      : null,
  ticks: null,
}

/** Uniswap V2 and its forks: same events, fee by configuration. */
export const uniswapV2: Protocol = {
  kind: 'uniswap-v2',
  family: 'pair',
  events: { [SWAP]: decodeSwap, [SYNC]: decodeSync },
  priceTopics: [SYNC],
  identity: { by: 'factory', vouchCall: ({ token0, token1 }) => callData(GET_PAIR, token0, token1) },
  state: PAIR_STATE,
  creation: { topic: PAIR_CREATED, read: decodePairCreated },
  lookupCalls: (tokenA, tokenB) => [callData(GET_PAIR, tokenA, tokenB)],
}

function decodeSwap(log: Log): SwapEvent | null {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  const recipient = topics[2]
  if (recipient === undefined || topics.length !== 3 || !hasWords(data, 4)) return null
  return {
    type: 'swap',
    family: 'pair',
    pool,
    transactionIndex,
    logIndex,
    amount0: uintWord(data, 0) - uintWord(data, 2),
    amount1: uintWord(data, 1) - uintWord(data, 3),
    state: null,
    recipient: addressTopic(recipient),
  }
}

function decodeSync(log: Log): ReservesEvent | null {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  if (topics.length !== 1 || !hasWords(data, 2)) return null
  return {
    type: 'reserves',
    family: 'pair',
    pool,
    transactionIndex,
    logIndex,
    reserve0: uintWord(data, 0),
    reserve1: uintWord(data, 1),
  }
}

function decodePairCreated(log: Log): CreatedPool | null {
  const [, token0, token1] = log.topics
  if (token0 === undefined || token1 === undefined || !hasWords(log.data, 2)) return null
  const tokens = { token0: addressTopic(token0), token1: addressTopic(token1) }
  return { pool: addressWord(log.data, 0), ...tokens, lookupCall: callData(GET_PAIR, tokens.token0, tokens.token1) }
}
