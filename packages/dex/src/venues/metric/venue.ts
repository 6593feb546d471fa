import { contractCall } from '../../abi/contract-abi.ts'
import { addressTopic, addressWord, intWord, uintWord, WORD } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { ExchangeEvent } from '../../pool-event.ts'
import { exchangeEvent, exchangeOfDeltas } from '../exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed sender, address indexed recipient, bool exactInput, int256 amount0Delta, int256 amount1Delta, int8 newTick, uint104 newPositionInBin, uint256 protocolFeeAmount)'
/** Event of later pools, with both deltas in one word; token0's is in the upper half. */
const PACKED_SWAP =
  'event Swap(address indexed sender, address indexed recipient, uint256 details, uint256 amountDeltas, uint256 platformFees)'
const IS_POOL = contractCall<[boolean]>('function isPool(address pool) view returns (bool)')
/** The result begins with factory, token0 and token1. */
const GET_IMMUTABLES = contractCall('function getImmutables() view returns (address, address, address)').data()

const HALF = 128n

/** Not quoted, because another contract sets each pool's price. Positive deltas enter the pool. */
const metric: Protocol = {
  kind: 'metric',
  about: {
    name: 'Metric from July 2026',
    verifiedBy: '`isPool(pool)` of the factory, which the pool names',
    notCovered: 'the pools of its first factory, which has no function about them',
  },
  family: 'metric',
  events: {
    [SWAP]: (log) => swapOf(log, intWord(log.data, 1), intWord(log.data, 2)),
    [PACKED_SWAP]: (log) => {
      const deltas = uintWord(log.data, 1)
      return swapOf(log, BigInt.asIntN(128, deltas >> HALF), BigInt.asIntN(128, deltas))
    },
  },
  identity: { by: 'proof', prove: provePool },
  state: null,
  ...NO_REFERENCES,
}

function swapOf(log: Log, delta0: bigint, delta1: bigint): ExchangeEvent | null {
  const exchange = exchangeOfDeltas(delta0, delta1)
  return exchange && exchangeEvent('metric', log, { ...exchange, recipient: addressTopic(log.topics, 2) })
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const [listed, immutables] = yield [
    { to: dex.factory, data: IS_POOL.data(pool) },
    { to: pool, data: GET_IMMUTABLES },
  ]
  const [token0, token1] = tokensIn(immutables, dex.factory)
  if (IS_POOL.read(listed)?.[0] !== true || !token0 || !token1 || token0 === token1) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
}

function tokensIn(immutables: Hex | null | undefined, factory: Address): Address[] {
  if (!immutables || immutables.length < 2 + 3 * WORD || addressWord(immutables, 0) !== factory) return []
  return [addressWord(immutables, 1), addressWord(immutables, 2)]
}

export const venue: Venue = { protocols: [metric], deployments }
