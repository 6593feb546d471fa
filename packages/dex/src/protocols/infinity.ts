import { keccak256 } from 'ethers'
import { addressWord, hasWords, uintWord, wordOf, wordText } from '../abi-words.ts'
import type { Hex } from '../chain/hex.ts'
import type { Dex, PoolAddress } from '../pool.ts'
import type { PoolKey } from '../pool-event.ts'
import { callById, idOf, keysAtHand, managedPool } from './managed-pool.ts'
import type { Answers, PoolCandidate, PoolProof } from './protocol.ts'

/** poolIdToPoolKey(bytes32), of the pool managers themselves */
const POOL_ID_TO_POOL_KEY: Hex = '0x0e2d484a'

/**
 * PancakeSwap Infinity and its forks: a pool is its manager's, whose events these are, as soon as its key is known: the
 * one that hashes to its id. It is told by the event that made the pool, else by the manager, else by that event's log.
 *
 * @param tickSpacingOf what the protocol keeps in the key's parameters
 */
export function* proveInfinityPool(
  candidate: PoolCandidate,
  dex: Dex,
  initialize: Hex,
  tickSpacingOf: (parameters: Hex) => number | null,
): PoolProof {
  const { pool } = candidate
  let key = keysAtHand(candidate).find((told) => isKeyOf(pool, told, dex)) ?? null
  if (key === null) {
    const asked = readKey(yield [{ to: dex.factory, data: callById(POOL_ID_TO_POOL_KEY, pool) }])
    if (asked !== null && isKeyOf(pool, asked, dex)) key = asked
  }
  if (key === null) return { keyLog: { address: dex.factory, topic: initialize } }
  return managedPool(pool, { ...key, tickSpacing: tickSpacingOf(key.parameters ?? '0x') }, dex)
}

function readKey([answer]: Answers): PoolKey | null {
  if (!answer || !hasWords(answer, 6)) return null
  return {
    currency0: addressWord(answer, 0),
    currency1: addressWord(answer, 1),
    hooks: addressWord(answer, 2),
    fee: Number(uintWord(answer, 4)),
    tickSpacing: null,
    parameters: wordText(answer, 5),
  }
}

/** PoolId.toId: keccak256(abi.encode(currency0, currency1, hooks, poolManager, fee, parameters)) */
function isKeyOf(pool: PoolAddress, key: PoolKey, dex: Dex): boolean {
  const { currency0, currency1, hooks, fee, parameters = '0x' } = key
  const words = [currency0, currency1, hooks, dex.factory, fee].map(wordOf)
  return keccak256(`0x${words.join('')}${parameters.slice(2)}`) === idOf(pool)
}
