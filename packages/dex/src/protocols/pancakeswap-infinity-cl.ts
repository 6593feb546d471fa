import { addressTopic, addressWord, hasWords, smallIntWord, uintWord, wordText } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { InitializeEvent } from '../pool-event.ts'
import { proveInfinityPool } from './infinity.ts'
import { managedPlace } from './managed-pool.ts'
import type { Protocol } from './protocol.ts'
import { decodeManagedSwap, decodeModifyLiquidity, MODIFY_LIQUIDITY } from './uniswap-v4.ts'

/** Swap(…as Uniswap V4…, uint16 protocolFee) */
const SWAP: Hex = '0x04206ad2b7c0f463bff3dd4f33c5735b0f2957a351e4f79763a4fa9e775dd237'
/** Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick) */
const INITIALIZE: Hex = '0x426cc62fe6a33a40ba2788c2c87a9c34ee4582b95bc9fa5a7bb7ae70b750b99c'

/** PancakeSwap Infinity, pools of concentrated liquidity; SushiSwap V4 is a fork. Trades only: the pools are not quoted. */
export const pancakeswapInfinityCl: Protocol = {
  kind: 'pancakeswap-infinity-cl',
  family: 'managed',
  events: {
    [SWAP]: (log) => decodeManagedSwap(log, 7),
    [INITIALIZE]: decodeInitialize,
    [MODIFY_LIQUIDITY]: decodeModifyLiquidity,
  },
  priceTopics: [],
  identity: {
    by: 'proof',
    prove: (candidate, dex) => proveInfinityPool(candidate, dex, INITIALIZE, tickSpacingOf),
  },
  state: null,
  creation: null,
  lookupCalls: () => [],
}

/** CLPoolParametersHelper: bits 0 to 15 are the hooks' rights, 16 to 39 the tick spacing */
function tickSpacingOf(parameters: Hex): number {
  return Number(BigInt.asIntN(24, BigInt(parameters) >> 16n))
}

function decodeInitialize(log: Log): InitializeEvent | null {
  const [, , currency0, currency1] = log.topics
  if (currency0 === undefined || currency1 === undefined || !hasWords(log.data, 5)) return null
  const parameters = wordText(log.data, 2)
  return {
    type: 'initialize',
    ...managedPlace(log),
    sqrtPriceX96: uintWord(log.data, 3),
    tick: smallIntWord(log.data, 4),
    key: {
      currency0: addressTopic(currency0),
      currency1: addressTopic(currency1),
      hooks: addressWord(log.data, 0),
      fee: Number(uintWord(log.data, 1)),
      tickSpacing: tickSpacingOf(parameters),
      parameters,
    },
  }
}
