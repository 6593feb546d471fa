import { addressTopic, addressWord, hasWords, intWord, uintWord, wordText } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { CreatedEvent, SwapEvent } from '../pool-event.ts'
import { proveInfinityPool } from './infinity.ts'
import { managedPlace } from './managed-pool.ts'
import type { Protocol } from './protocol.ts'

/** Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee) */
const SWAP: Hex = '0x3e8aae37f890eb1f9d63dd4d2062f3f0be757848a0f0760e4f3e53dad556e861'
/** Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId) */
const INITIALIZE: Hex = '0xddfde5903015c0eb1671976c6c8f760f1328bec57f15286b6bdab2f955cab9c9'

/** PancakeSwap Infinity, pools of liquidity bins. Trades only: the pools are not quoted. */
export const pancakeswapInfinityBin: Protocol = {
  kind: 'pancakeswap-infinity-bin',
  family: 'managed',
  events: { [SWAP]: decodeSwap, [INITIALIZE]: decodeInitialize },
  priceTopics: [],
  identity: { by: 'proof', prove: (candidate, dex) => proveInfinityPool(candidate, dex, INITIALIZE, () => null) },
  state: null,
  creation: null,
  lookupCalls: () => [],
}

/** The manager tells the amounts as the swapper sees them (paid: negative), an event of ours as the pool does. */
function decodeSwap(log: Log): SwapEvent | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 5)) return null
  const [amount0, amount1] = [-intWord(log.data, 0), -intWord(log.data, 1)]
  return { type: 'swap', ...managedPlace(log), amount0, amount1, state: null }
}

function decodeInitialize(log: Log): CreatedEvent | null {
  const [, , currency0, currency1] = log.topics
  if (currency0 === undefined || currency1 === undefined || !hasWords(log.data, 4)) return null
  return {
    type: 'created',
    ...managedPlace(log),
    key: {
      currency0: addressTopic(currency0),
      currency1: addressTopic(currency1),
      hooks: addressWord(log.data, 0),
      fee: Number(uintWord(log.data, 1)),
      tickSpacing: null,
      parameters: wordText(log.data, 2),
    },
  }
}
