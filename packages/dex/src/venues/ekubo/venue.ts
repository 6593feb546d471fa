import { keccak256 } from 'ethers'
import { topicOf } from '../../abi/contract-abi.ts'
import { addressWord, uintWord, wordOf, wordText } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { CreatedEvent, PoolKey, SwapEvent } from '../../pool-event.ts'
import { idOf, keysAtHand, managedPlace, managedPool } from '../managed-pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const POOL_INITIALIZED =
  'event PoolInitialized(bytes32 poolId, tuple(address token0, address token1, bytes32 config) poolKey, int32 tick, uint96 sqrtRatio)'

/** A swap log has 116 bytes: the swapper (20), the pool id (32), two amounts (16 each) and the state (32). */
const SWAP_DIGITS = 2 * 116
const ID_AT = 2 + 2 * 20
const AMOUNTS_AT = ID_AT + 64
const AMOUNT_BITS = 128
const AMOUNT_DIGITS = AMOUNT_BITS / 4

/** A key's config packs the extension, 64 bits of fee and 32 bits of pool type. */
const EXTENSION_SHIFT = 96n
const FEE_SHIFT = 32n
const FEE_BITS = 64
const MILLION = 1_000_000n

/** Swap logs have no topic, and their amounts exclude what extensions take. */
export const ekubo: Protocol = {
  kind: 'ekubo',
  about: {
    name: 'Ekubo',
    verifiedBy: "the configured core is the emitter, and a key from `PoolInitialized` hashes to the pool's id",
    notCovered: "what a pool's extension takes",
  },
  family: 'managed',
  entry: { verifying: 'core', deploymentBlock: true },
  events: { [POOL_INITIALIZED]: decodeInitialized },
  withoutTopic: decodeSwap,
  identity: { by: 'proof', prove },
  state: null,
  managed: {
    isIdInData: true,
    largestChange: ({ ofPool }) => (ofPool.some(({ topics }) => topics.length > 0) ? null : 0n),
  },
  ...NO_REFERENCES,
}

/** Positive amounts enter the pool. The state is not read, because its layout depends on the version. */
function decodeSwap(log: Log): SwapEvent | null {
  const { data } = log
  if (data.length !== 2 + SWAP_DIGITS) return null
  return {
    type: 'swap',
    ...managedPlace(log, `0x${data.slice(ID_AT, AMOUNTS_AT)}`),
    amount0: amountAt(data, AMOUNTS_AT),
    amount1: amountAt(data, AMOUNTS_AT + AMOUNT_DIGITS),
    state: null,
  }
}

function amountAt(data: Hex, start: number): bigint {
  return BigInt.asIntN(AMOUNT_BITS, BigInt(`0x${data.slice(start, start + AMOUNT_DIGITS)}`))
}

function decodeInitialized(log: Log): CreatedEvent {
  const { data } = log
  const key = keyOf(addressWord(data, 1), addressWord(data, 2), wordText(data, 3))
  return { type: 'created', ...managedPlace(log, wordText(data, 0)), key }
}

/** The config has the fee as a fraction of 2^64; the returned key has it in millionths. */
function keyOf(currency0: Address, currency1: Address, parameters: Hex): PoolKey {
  const config = uintWord(parameters, 0)
  const fee = BigInt.asUintN(FEE_BITS, config >> FEE_SHIFT)
  return {
    currency0,
    currency1,
    parameters,
    tickSpacing: null,
    fee: Number((fee * MILLION + 2n ** BigInt(FEE_BITS - 1)) >> BigInt(FEE_BITS)),
    hooks: `0x${(config >> EXTENSION_SHIFT).toString(16).padStart(40, '0')}`,
  }
}

function* prove(candidate: PoolCandidate, dex: Dex): PoolProof {
  const { pool } = candidate
  const key = keysAtHand(candidate).find((candidateKey) => isKeyOf(pool, candidateKey))
  if (key !== undefined) return managedPool(pool, key, dex)
  return { keyLog: { address: dex.factory, topic: topicOf(POOL_INITIALIZED) } }
}

/** keccak256(abi.encode(token0, token1, config)) */
function isKeyOf(pool: PoolAddress, { currency0, currency1, parameters }: PoolKey): boolean {
  if (parameters === undefined) return false
  const words: readonly Address[] = [currency0, currency1, parameters]
  return keccak256(`0x${words.map(wordOf).join('')}`) === idOf(pool)
}

export const venue: Venue = { protocols: [ekubo], deployments }
