import { keccak256 } from 'ethers'
import { addressTopic, addressWord, hasWords, intWord, smallIntWord, uintWord, WORD, wordOf } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Dex, PoolAddress } from '../pool.ts'
import type { InitializeEvent, LiquidityEvent, PoolKey, ProtocolFeeEvent, SwapEvent } from '../pool-event.ts'
import { idOf, keysAtHand, managedPlace, managedPool } from './managed-pool.ts'
import type { Answers, PoolCandidate, PoolProof, Protocol } from './protocol.ts'
import { UNISWAP_V4_STATE } from './uniswap-v4-state.ts'

/** Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee) */
const SWAP: Hex = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f'
/** Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick) */
const INITIALIZE: Hex = '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438'
/** ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt) */
export const MODIFY_LIQUIDITY: Hex = '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec'
/** ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee) */
const PROTOCOL_FEE_UPDATED: Hex = '0xe9c42593e71f84403b84352cd168d693e2c9fcd1fdbcc3feb21d92b43e6696f9'
/** PositionManager.poolKeys(bytes25): keys of the pools that it has a position in */
const POOL_KEYS: Hex = '0x86b6be7d'
const ID_BYTES_OF_POOL_KEYS = 25

/** Uniswap V4: all pools live in one PoolManager, known by the hash of their key. */
export const uniswapV4: Protocol = {
  kind: 'uniswap-v4',
  family: 'managed',
  events: {
    [SWAP]: (log) => decodeManagedSwap(log, 6),
    [INITIALIZE]: decodeInitialize,
    [MODIFY_LIQUIDITY]: decodeModifyLiquidity,
    [PROTOCOL_FEE_UPDATED]: decodeProtocolFee,
  },
  priceTopics: [],
  identity: { by: 'proof', prove },
  state: UNISWAP_V4_STATE,
  creation: null,
  lookupCalls: () => [],
}

/**
 * Reads a Swap whose data begins with amount0, amount1, sqrtPriceX96, liquidity, tick. The manager tells the amounts as
 * the swapper sees them (paid: negative), an event of ours as the pool does. What hooks take or give is not in them.
 */
export function decodeManagedSwap(log: Log, words: number): SwapEvent | null {
  if (log.topics.length !== 3 || !hasWords(log.data, words)) return null
  return {
    type: 'swap',
    ...managedPlace(log),
    amount0: -intWord(log.data, 0),
    amount1: -intWord(log.data, 1),
    state: {
      kind: 'concentrated',
      sqrtPriceX96: uintWord(log.data, 2),
      liquidity: uintWord(log.data, 3),
      tick: smallIntWord(log.data, 4),
    },
  }
}

export function decodeModifyLiquidity(log: Log): LiquidityEvent | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 4)) return null
  return {
    type: 'liquidity',
    ...managedPlace(log),
    tickLower: smallIntWord(log.data, 0),
    tickUpper: smallIntWord(log.data, 1),
    delta: intWord(log.data, 2),
  }
}

function decodeInitialize(log: Log): InitializeEvent | null {
  const [, , currency0, currency1] = log.topics
  if (currency0 === undefined || currency1 === undefined || !hasWords(log.data, 5)) return null
  return {
    type: 'initialize',
    ...managedPlace(log),
    sqrtPriceX96: uintWord(log.data, 3),
    tick: smallIntWord(log.data, 4),
    key: {
      currency0: addressTopic(currency0),
      currency1: addressTopic(currency1),
      fee: Number(uintWord(log.data, 0)),
      tickSpacing: smallIntWord(log.data, 1),
      hooks: addressWord(log.data, 2),
    },
  }
}

function decodeProtocolFee(log: Log): ProtocolFeeEvent | null {
  if (log.topics.length !== 2 || !hasWords(log.data, 1)) return null
  return { type: 'protocol-fee', ...managedPlace(log), protocolFee: smallIntWord(log.data, 0) }
}

/**
 * A pool is its manager's, whose events these are, as soon as its key is known: the one that hashes to its id. It is
 * told by the event that made the pool, else by the position manager, else by that event's log, wherever it is.
 */
function* prove(candidate: PoolCandidate, dex: Dex): PoolProof {
  const { pool } = candidate
  const told = keysAtHand(candidate).find((key) => isKeyOf(pool, key))
  if (told !== undefined) return managedPool(pool, told, dex)
  const positionManager = dex.contracts?.positionManager
  if (positionManager !== undefined) {
    const id = idOf(pool).slice(2, 2 + 2 * ID_BYTES_OF_POOL_KEYS)
    const key = readKey(yield [{ to: positionManager, data: `${POOL_KEYS}${id.padEnd(WORD, '0')}` }])
    if (key !== null && isKeyOf(pool, key)) return managedPool(pool, key, dex)
  }
  return { keyLog: { address: dex.factory, topic: INITIALIZE } }
}

function readKey([answer]: Answers): PoolKey | null {
  if (!answer || !hasWords(answer, 5)) return null
  return {
    currency0: addressWord(answer, 0),
    currency1: addressWord(answer, 1),
    fee: Number(uintWord(answer, 2)),
    tickSpacing: smallIntWord(answer, 3),
    hooks: addressWord(answer, 4),
  }
}

/** PoolId.toId: keccak256(abi.encode(key)) */
function isKeyOf(pool: PoolAddress, { currency0, currency1, fee, tickSpacing, hooks }: PoolKey): boolean {
  const words: readonly (Address | number)[] = [currency0, currency1, fee, tickSpacing ?? 0, hooks]
  return keccak256(`0x${words.map(wordOf).join('')}`) === idOf(pool)
}
