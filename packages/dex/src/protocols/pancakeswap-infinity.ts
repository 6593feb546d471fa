import { keccak256 } from 'ethers'
import { contractCall } from '../abi/contract-call.ts'
import { topicOf } from '../abi/fragment.ts'
import { addressTopic, addressWord, intWord, smallIntWord, uintWord, wordOf, wordText } from '../abi/words.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Dex, PoolAddress } from '../pool.ts'
import type { CreatedEvent, InitializeEvent, PoolKey, SwapEvent } from '../pool-event.ts'
import { idOf, keysAtHand, managedPlace, managedPool } from './managed-pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from './protocol.ts'
import { decodeManagedSwap, decodeModifyLiquidity, MODIFY_LIQUIDITY } from './uniswap/uniswap-v4.ts'

const CL_SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)'
const CL_INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick)'

/** PancakeSwap Infinity, concentrated pools; SushiSwap V4 is a fork. Trades only: the pools are not quoted. */
export const pancakeswapInfinityCl: Protocol = {
  kind: 'pancakeswap-infinity-cl',
  family: 'managed',
  events: {
    [CL_SWAP]: decodeManagedSwap,
    [CL_INITIALIZE]: decodeClInitialize,
    [MODIFY_LIQUIDITY]: decodeModifyLiquidity,
  },
  identity: {
    by: 'proof',
    prove: (candidate, dex) => proveInfinityPool(candidate, dex, CL_INITIALIZE, tickSpacingOf),
  },
  state: null,
  ...NO_REFERENCES,
}

/** CLPoolParametersHelper: bits 0 to 15 are the hooks' rights, 16 to 39 the tick spacing. */
function tickSpacingOf(parameters: Hex): number {
  return Number(BigInt.asIntN(24, BigInt(parameters) >> 16n))
}

function decodeClInitialize(log: Log): InitializeEvent {
  return {
    type: 'initialize',
    ...managedPlace(log),
    sqrtPriceX96: uintWord(log.data, 3),
    tick: smallIntWord(log.data, 4),
    key: keyInLog(log, tickSpacingOf),
  }
}

const BIN_SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)'
const BIN_INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)'

/** PancakeSwap Infinity, bin pools. Trades only: the pools are not quoted. */
export const pancakeswapInfinityBin: Protocol = {
  kind: 'pancakeswap-infinity-bin',
  family: 'managed',
  events: { [BIN_SWAP]: decodeBinSwap, [BIN_INITIALIZE]: decodeBinInitialize },
  identity: { by: 'proof', prove: (candidate, dex) => proveInfinityPool(candidate, dex, BIN_INITIALIZE, () => null) },
  state: null,
  ...NO_REFERENCES,
}

/** The manager reports amounts from the swapper's side (paid: negative); our events are from the pool's side. */
function decodeBinSwap(log: Log): SwapEvent {
  const [amount0, amount1] = [-intWord(log.data, 0), -intWord(log.data, 1)]
  return { type: 'swap', ...managedPlace(log), amount0, amount1, state: null }
}

function decodeBinInitialize(log: Log): CreatedEvent {
  return { type: 'created', ...managedPlace(log), key: keyInLog(log, () => null) }
}

/** Of the pool managers. */
const POOL_ID_TO_POOL_KEY = contractCall<[Address, Address, hooks: Address, Address, fee: bigint, parameters: Hex]>(
  'function poolIdToPoolKey(bytes32) view returns (address currency0, address currency1, address hooks, address poolManager, uint24 fee, bytes32 parameters)',
)

/**
 * Verifies pools of PancakeSwap Infinity and its forks. The events are the manager's, so a pool is verified once its
 * key is known: the key that hashes to its id. The key comes from the event that created the pool, else from the
 * manager, else from that event's log elsewhere.
 */
function* proveInfinityPool(
  candidate: PoolCandidate,
  dex: Dex,
  initialize: string,
  tickSpacingOf: (parameters: Hex) => number | null,
): PoolProof {
  const { pool } = candidate
  let key = keysAtHand(candidate).find((known) => isKeyOf(pool, known, dex)) ?? null
  if (key === null) {
    const [answer] = yield [{ to: dex.factory, data: POOL_ID_TO_POOL_KEY.data(idOf(pool)) }]
    const fromManager = readKey(answer)
    if (fromManager !== null && isKeyOf(pool, fromManager, dex)) key = fromManager
  }
  if (key === null) return { keyLog: { address: dex.factory, topic: topicOf(initialize) } }
  return managedPool(pool, { ...key, tickSpacing: tickSpacingOf(key.parameters ?? '0x') }, dex)
}

function readKey(answer: Hex | null | undefined): PoolKey | null {
  const known = POOL_ID_TO_POOL_KEY.read(answer)
  if (known === null) return null
  const [currency0, currency1, hooks, , fee, parameters] = known
  return { currency0, currency1, hooks, fee: Number(fee), tickSpacing: null, parameters }
}

/** PoolId.toId: keccak256(abi.encode(currency0, currency1, hooks, poolManager, fee, parameters)) */
function isKeyOf(pool: PoolAddress, key: PoolKey, dex: Dex): boolean {
  const { currency0, currency1, hooks, fee, parameters = '0x' } = key
  const words = [currency0, currency1, hooks, dex.factory, fee].map(wordOf)
  return keccak256(`0x${words.join('')}${parameters.slice(2)}`) === idOf(pool)
}

/** Returns the key in an Initialize event. Both kinds begin with currencies, hooks, fee and parameters. */
function keyInLog({ topics, data }: Log, tickSpacingOf: (parameters: Hex) => number | null): PoolKey {
  const parameters = wordText(data, 2)
  return {
    currency0: addressTopic(topics, 2),
    currency1: addressTopic(topics, 3),
    hooks: addressWord(data, 0),
    fee: Number(uintWord(data, 1)),
    tickSpacing: tickSpacingOf(parameters),
    parameters,
  }
}
