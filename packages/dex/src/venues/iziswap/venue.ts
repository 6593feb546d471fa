import { contractCall } from '../../abi/contract-abi.ts'
import { uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { ExchangeEvent } from '../../pool-event.ts'
import { exchangeEvent, exchangeOf } from '../exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed tokenX, address indexed tokenY, uint24 indexed fee, bool sellXEarnY, uint256 amountX, uint256 amountY)'
const TOKEN_X = contractCall<[Address]>('function tokenX() view returns (address)')
const TOKEN_Y = contractCall<[Address]>('function tokenY() view returns (address)')
const FEE = contractCall<[bigint]>('function fee() view returns (uint24)')
const POOL = contractCall<[Address]>('function pool(address tokenX, address tokenY, uint24 fee) view returns (address)')

const iziswap: Protocol = {
  kind: 'iziswap',
  about: {
    name: 'iZiSwap',
    verifiedBy: '`pool(tokenX, tokenY, fee)` of the factory',
    notCovered: null,
  },
  family: 'iziswap',
  events: { [SWAP]: swapOf },
  holdsTokens: true,
  identity: { by: 'proof', prove: provePool },
  state: null,
  ...NO_REFERENCES,
}

function swapOf(log: Log): ExchangeEvent {
  const amountX = uintWord(log.data, 1)
  const amountY = uintWord(log.data, 2)
  const isXSold = uintWord(log.data, 0) !== 0n
  const exchange = isXSold ? exchangeOf(true, amountX, amountY) : exchangeOf(false, amountY, amountX)
  return exchangeEvent('iziswap', log, exchange)
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const claims = yield [TOKEN_X, TOKEN_Y, FEE].map((call) => ({ to: pool, data: call.data() }))
  const token0 = TOKEN_X.read(claims[0])?.[0]
  const token1 = TOKEN_Y.read(claims[1])?.[0]
  const [fee] = FEE.read(claims[2]) ?? []
  if (!token0 || !token1 || token0 === token1 || fee === undefined) return null
  const [answer] = yield [{ to: dex.factory, data: POOL.data(token0, token1, fee) }]
  return POOL.read(answer)?.[0] === pool
    ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
    : null
}

export const venue: Venue = { protocols: [iziswap], deployments }
