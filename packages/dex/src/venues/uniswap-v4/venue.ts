import { keccak256 } from 'ethers'
import { contractCall, topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, addressWord, smallIntWord, uintWord, wordOf } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { InitializeEvent, PoolKey } from '../../pool-event.ts'
import { idOf, keysAtHand, managedPlace, managedPool } from '../managed-pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }
import {
  concentratedChange,
  decodeManagedSwap,
  decodeModifyLiquidity,
  decodeProtocolFee,
  MODIFY_LIQUIDITY,
  PROTOCOL_FEE_UPDATED,
} from './manager-events.ts'
import { UNISWAP_V4_STATE } from './state.ts'

const SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)'
const INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)'
/** The position manager's keys of pools where it has a position, found by the first bytes of the pool id. */
const POOL_KEYS = contractCall<[Address, Address, fee: bigint, tickSpacing: bigint, hooks: Address]>(
  'function poolKeys(bytes25) view returns (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)',
)
const POOL_KEYS_DIGITS = 50

/**
 * v4-core Hooks: the last bits of the hooks' address name the functions that the manager calls. These are beforeSwap,
 * which may change liquidity, fee and amounts, afterSwap, which may refuse any swap, so that no trade corrects the
 * pool's price, and their rights to return amounts. Without these bits, hooks can only change the fee (`fee` 0),
 * without an event.
 */
const SWAP_RIGHTS = (1n << 7n) | (1n << 6n) | (1n << 3n) | (1n << 2n)

const uniswapV4: Protocol = {
  kind: 'uniswap-v4',
  about: {
    name: 'Uniswap V4',
    verifiedBy: "the configured manager is the emitter, and a key hashes to the pool's id",
    notCovered:
      'quotes if hooks are called in swaps or set the fee; what hooks take or give; hooks that trade in place of the manager (their swaps have no amounts)',
  },
  family: 'managed',
  entry: { verifying: 'poolManager', others: ['stateView', 'positionManager'], deploymentBlock: true },
  events: {
    [SWAP]: decodeManagedSwap,
    [INITIALIZE]: decodeInitialize,
    [MODIFY_LIQUIDITY]: decodeModifyLiquidity,
    [PROTOCOL_FEE_UPDATED]: decodeProtocolFee,
  },
  identity: { by: 'proof', prove },
  state: UNISWAP_V4_STATE,
  managed: { largestChange: concentratedChange(topicOf(SWAP)) },
  canHooksMoveAmounts: ({ hooks = '0x0', fee }) => fee === 0 || (BigInt(hooks) & SWAP_RIGHTS) !== 0n,
  ...NO_REFERENCES,
}

function decodeInitialize(log: Log): InitializeEvent {
  return {
    type: 'initialize',
    ...managedPlace(log),
    sqrtPriceX96: uintWord(log.data, 3),
    tick: smallIntWord(log.data, 4),
    key: {
      currency0: addressTopic(log.topics, 2),
      currency1: addressTopic(log.topics, 3),
      fee: Number(uintWord(log.data, 0)),
      tickSpacing: smallIntWord(log.data, 1),
      hooks: addressWord(log.data, 2),
    },
  }
}

function* prove(candidate: PoolCandidate, dex: Dex): PoolProof {
  const { pool } = candidate
  const keyAtHand = keysAtHand(candidate).find((key) => isKeyOf(pool, key))
  if (keyAtHand !== undefined) return managedPool(pool, keyAtHand, dex)
  const positionManager = dex.contracts?.positionManager
  if (positionManager !== undefined) {
    const id = idOf(pool).slice(0, 2 + POOL_KEYS_DIGITS) as Hex
    const [answer] = yield [{ to: positionManager, data: POOL_KEYS.data(id) }]
    const fields = POOL_KEYS.read(answer)
    if (fields !== null) {
      const [currency0, currency1, fee, tickSpacing, hooks] = fields
      const key = { currency0, currency1, fee: Number(fee), tickSpacing: Number(tickSpacing), hooks }
      if (isKeyOf(pool, key)) return managedPool(pool, key, dex)
    }
  }
  return { keyLog: { address: dex.factory, topic: topicOf(INITIALIZE) } }
}

/** PoolId.toId: keccak256(abi.encode(key)) */
function isKeyOf(pool: PoolAddress, { currency0, currency1, fee, tickSpacing, hooks }: PoolKey): boolean {
  if (tickSpacing === null) return false
  const words: readonly (Address | number)[] = [currency0, currency1, fee, tickSpacing, hooks]
  return keccak256(`0x${words.map(wordOf).join('')}`) === idOf(pool)
}

export const venue: Venue = { protocols: [uniswapV4], deployments }
