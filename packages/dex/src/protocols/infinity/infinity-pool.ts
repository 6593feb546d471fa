import { keccak256 } from 'ethers'
import { contractCall } from '../../abi/contract-call.ts'
import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, addressWord, uintWord, wordOf, wordText } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { PoolKey } from '../../pool-event.ts'
import { idOf, keysAtHand, managedPool } from '../managed-pool.ts'
import type { PoolCandidate, PoolProof } from '../protocol.ts'

/** Of the pool managers themselves. */
const POOL_ID_TO_POOL_KEY = contractCall<[Address, Address, hooks: Address, Address, fee: bigint, parameters: Hex]>(
  'function poolIdToPoolKey(bytes32) view returns (address currency0, address currency1, address hooks, address poolManager, uint24 fee, bytes32 parameters)',
)

/**
 * PancakeSwap Infinity and its forks: a pool is its manager's, whose events these are, as soon as its key is known: the
 * one that hashes to its id. It is told by the event that made the pool, else by the manager, else by that event's log.
 *
 * @param initialize the event that made the pool
 * @param tickSpacingOf what the protocol keeps in the key's parameters
 */
export function* proveInfinityPool(
  candidate: PoolCandidate,
  dex: Dex,
  initialize: string,
  tickSpacingOf: (parameters: Hex) => number | null,
): PoolProof {
  const { pool } = candidate
  let key = keysAtHand(candidate).find((told) => isKeyOf(pool, told, dex)) ?? null
  if (key === null) {
    const [answer] = yield [{ to: dex.factory, data: POOL_ID_TO_POOL_KEY.data(idOf(pool)) }]
    const asked = readKey(answer)
    if (asked !== null && isKeyOf(pool, asked, dex)) key = asked
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

/** The key in an Initialize, of which both kinds begin with currencies, hooks, fee and parameters. */
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
