import { contractCall } from '../../abi/contract-abi.ts'
import { type Address, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import { GET_POOL, uniswapV3 } from '../uniswap-v3/venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const TOKEN0 = contractCall<[Address]>('function token0() view returns (address)')
const TOKEN1 = contractCall<[Address]>('function token1() view returns (address)')
const SWAP_FEE_UNITS = contractCall<[bigint]>('function swapFeeUnits() view returns (uint24)')
const TICK_DISTANCE = contractCall<[bigint]>('function tickDistance() view returns (int24)')

/** Fees are in hundred-thousandths. */
const MILLIONTHS_A_UNIT = 10

/**
 * Has Uniswap V3's events, but other functions for fee and tick spacing. Not quoted, because its curve reinvests fees.
 */
const kyberswapElastic: Protocol = {
  kind: 'kyberswap-elastic',
  about: {
    name: 'KyberSwap Elastic',
    verifiedBy: '`getPool(token0, token1, swapFeeUnits)` of the factory',
    notCovered: null,
  },
  family: 'concentrated',
  events: uniswapV3.events,
  holdsTokens: true,
  identity: { by: 'proof', prove: provePool },
  state: null,
  ...NO_REFERENCES,
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const claims = yield [TOKEN0, TOKEN1, SWAP_FEE_UNITS, TICK_DISTANCE].map((call) => ({ to: pool, data: call.data() }))
  const [token0] = TOKEN0.read(claims[0]) ?? []
  const [token1] = TOKEN1.read(claims[1]) ?? []
  const [units] = SWAP_FEE_UNITS.read(claims[2]) ?? []
  const [distance] = TICK_DISTANCE.read(claims[3]) ?? []
  if (!token0 || !token1 || token0 === token1 || token0 === ZERO_ADDRESS) return null
  if (units === undefined || distance === undefined || distance <= 0n) return null
  const [answer] = yield [{ to: dex.factory, data: GET_POOL.data(token0, token1, units) }]
  if (GET_POOL.read(answer)?.[0] !== pool) return null
  return { address: pool, dex, token0, token1, fee: Number(units) * MILLIONTHS_A_UNIT, tickSpacing: Number(distance) }
}

export const venue: Venue = { protocols: [kyberswapElastic], deployments }
