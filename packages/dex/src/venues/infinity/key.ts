import { keccak256 } from 'ethers'
import { contractCall, topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, addressWord, uintWord, wordOf, wordText } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { FeeEvent, PoolKey } from '../../pool-event.ts'
import { idOf, keysAtHand, managedPlace, managedPool } from '../managed-pool.ts'
import type { EthCall, PoolCandidate, PoolProof } from '../protocol.ts'

export const DYNAMIC_LP_FEE_UPDATED = 'event DynamicLPFeeUpdated(bytes32 indexed id, uint24 dynamicLPFee)'

/**
 * The state has the sum of the pool's and the protocol's fee, the event only the pool's. So the pool must be read
 * again.
 */
export function decodeDynamicFee(log: Log): FeeEvent {
  return { type: 'fee', ...managedPlace(log), change: { exact: false } }
}

const POOL_ID_TO_POOL_KEY = contractCall<[Address, Address, hooks: Address, Address, fee: bigint, parameters: Hex]>(
  'function poolIdToPoolKey(bytes32) view returns (address currency0, address currency1, address hooks, address poolManager, uint24 fee, bytes32 parameters)',
)

export function* proveInfinityPool(
  candidate: PoolCandidate,
  dex: Dex,
  initialize: string,
  tickSpacingOf: (parameters: Hex) => number | null,
): PoolProof {
  const { pool } = candidate
  let key = keysAtHand(candidate).find((candidateKey) => isKeyOf(pool, candidateKey, dex)) ?? null
  if (key === null) {
    const [answer] = yield [keyCall(pool, dex)]
    key = keyFromManager(pool, dex, answer)
  }
  if (key === null) return { keyLog: { address: dex.factory, topic: topicOf(initialize) } }
  return managedPool(pool, { ...key, tickSpacing: tickSpacingOf(key.parameters ?? '0x') }, dex)
}

export function keyCall(pool: PoolAddress, { factory }: Dex): EthCall {
  return { to: factory, data: POOL_ID_TO_POOL_KEY.data(idOf(pool)) }
}

export function keyFromManager(pool: PoolAddress, dex: Dex, answer: Hex | null | undefined): PoolKey | null {
  const fields = POOL_ID_TO_POOL_KEY.read(answer)
  if (fields === null) return null
  const [currency0, currency1, hooks, , fee, parameters] = fields
  const key = { currency0, currency1, hooks, fee: Number(fee), tickSpacing: null, parameters }
  return isKeyOf(pool, key, dex) ? key : null
}

/**
 * beforeSwap, afterSwap, and their rights to return amounts; the bits are the same in ICLHooks and IBinHooks. The last
 * 16 bits of the key's parameters name the hooks that the manager calls.
 */
const SWAP_RIGHTS = (1n << 6n) | (1n << 7n) | (1n << 10n) | (1n << 11n)

export function canHooksMoveAmounts({ parameters = '0x0' }: PoolKey): boolean {
  return (BigInt(parameters) & SWAP_RIGHTS) !== 0n
}

/** PoolId.toId: keccak256(abi.encode(currency0, currency1, hooks, poolManager, fee, parameters)) */
function isKeyOf(pool: PoolAddress, key: PoolKey, dex: Dex): boolean {
  const { currency0, currency1, hooks, fee, parameters = '0x' } = key
  const words = [currency0, currency1, hooks, dex.factory, fee].map(wordOf)
  return keccak256(`0x${words.join('')}${parameters.slice(2)}`) === idOf(pool)
}

export function keyInLog({ topics, data }: Log, tickSpacingOf: (parameters: Hex) => number | null): PoolKey {
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
