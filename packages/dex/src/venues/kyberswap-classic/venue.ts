import { contractCall } from '../../abi/contract-abi.ts'
import type { Address } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import { pairSwapDecoder } from '../uniswap-v2/venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to, uint256 feeInPrecision)'
const TOKEN0 = contractCall<[Address]>('function token0() view returns (address)')
const TOKEN1 = contractCall<[Address]>('function token1() view returns (address)')
const IS_POOL = contractCall<[boolean]>('function isPool(address, address, address) view returns (bool)')

/** DMM: several pools per pair, virtual reserves, and a fee that every trade changes. */
const kyberswapClassic: Protocol = {
  kind: 'kyberswap-classic',
  about: {
    name: 'KyberSwap Classic',
    verifiedBy: '`isPool(token0, token1, pool)` of the factory',
    notCovered: 'the factory of 2022 with static fees',
  },
  family: 'kyberswap-classic',
  events: { [SWAP]: pairSwapDecoder('kyberswap-classic') },
  holdsTokens: true,
  identity: { by: 'proof', prove: provePool },
  state: null,
  ...NO_REFERENCES,
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const claims = yield [TOKEN0, TOKEN1].map((call) => ({ to: pool, data: call.data() }))
  const token0 = TOKEN0.read(claims[0])?.[0]
  const token1 = TOKEN1.read(claims[1])?.[0]
  if (!token0 || !token1 || token0 === token1) return null
  const [answer] = yield [{ to: dex.factory, data: IS_POOL.data(token0, token1, pool) }]
  return IS_POOL.read(answer)?.[0] === true ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null } : null
}

export const venue: Venue = { protocols: [kyberswapClassic], deployments }
