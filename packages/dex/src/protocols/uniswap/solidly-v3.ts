import { contractCall } from '../../abi/contract-call.ts'
import type { Address } from '../../chain/hex.ts'
import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { uniswapV3 } from './uniswap-v3.ts'

/** By tokens and tick spacing: a pool's fee may be set anew. */
const GET_POOL = contractCall<[Address]>('function getPool(address, address, int24) view returns (address)')

/** Solidly V3: swaps by the event of Uniswap V3. The fee that may change is in no event that is read: not quoted. */
export const solidlyV3: Protocol = {
  kind: 'solidly-v3',
  family: 'concentrated',
  events: uniswapV3.events,
  identity: {
    by: 'factory',
    poolCall: GET_POOL,
    argsOf: ({ token0, token1, tickSpacing }) => [token0, token1, tickSpacing ?? 0],
    settle: ({ tickSpacing }) => ({ fee: 0, tickSpacing }),
  },
  state: null,
  ...NO_REFERENCES,
}
