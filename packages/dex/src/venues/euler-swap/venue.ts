import { contractCall } from '../../abi/contract-abi.ts'
import { addressTopic, MAX_UINT256, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { exchangeEvent, exchangeOfDeltas } from '../exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint112 reserve0, uint112 reserve1, address indexed to)'
const SWAP_WITH_FEES =
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, uint256 fee0, uint256 fee1, uint112 reserve0, uint112 reserve1, address indexed to)'
const GET_ASSETS = contractCall<[Address, Address]>(
  'function getAssets() view returns (address asset0, address asset1)',
)
const DEPLOYED_POOLS = contractCall<[boolean]>('function deployedPools(address pool) view returns (bool)')
/** Function of version 1's factory, which removes a pool if its owner takes it down. */
const POOLS_BY_PAIR = contractCall<[readonly Address[]]>(
  'function poolsByPair(address, address) view returns (address[])',
)

/**
 * Pools on Euler's lending vaults. They are also Uniswap V4 hooks, but the manager's events for their swaps have zero
 * amounts. Version 1 reports the paid amount without the fee.
 */
const eulerSwap: Protocol = {
  kind: 'euler-swap',
  about: {
    name: 'EulerSwap',
    verifiedBy: '`deployedPools(pool)` or `poolsByPair(asset0, asset1)` of the factory',
    notCovered: 'pools of version 1 that were removed before they were found',
  },
  family: 'euler-swap',
  events: {
    [SWAP]: (log) => decodeSwap(log, [0n, 0n]),
    [SWAP_WITH_FEES]: (log) => decodeSwap(log, [uintWord(log.data, 4), uintWord(log.data, 5)]),
  },
  identity: { by: 'proof', prove: provePool },
  state: null,
  amountsReportedBy: 'pool-without-fee',
  ...NO_REFERENCES,
}

/**
 * Nets each token: what a pool lends within a swap is not paid, unless it stays in the pool. Returns null unless one
 * token enters the pool and the other leaves it.
 */
function decodeSwap(log: Log, [fee0, fee1]: readonly [bigint, bigint]) {
  const [in0, in1, out0, out1] = [0, 1, 2, 3].map((index) => uintWord(log.data, index)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  const amount0 = in0 + fee0 - out0
  const amount1 = in1 + fee1 - out1
  const exchange = exchangeOfDeltas(amount0, amount1)
  if (exchange === null || exchange.soldAmount > MAX_UINT256) return null
  return exchangeEvent('euler-swap', log, { ...exchange, recipient: addressTopic(log.topics, 2) })
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const [assets] = yield [{ to: pool, data: GET_ASSETS.data() }]
  const [token0, token1] = GET_ASSETS.read(assets) ?? []
  if (!token0 || !token1 || token0 === token1) return null
  const [deployed, listed] = yield [DEPLOYED_POOLS.data(pool), POOLS_BY_PAIR.data(token0, token1)].map((data) => ({
    to: dex.factory,
    data,
  }))
  const isKnown = DEPLOYED_POOLS.read(deployed)?.[0] === true
  if (!isKnown && POOLS_BY_PAIR.read(listed)?.[0].includes(pool) !== true) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
}

export const venue: Venue = { protocols: [eulerSwap], deployments }
