import { contractCall } from '../../abi/contract-abi.ts'
import { uintWord } from '../../abi/words.ts'
import { type Address, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { exchangeEvent, exchangeOf } from '../exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const TOKEN_PURCHASE =
  'event TokenPurchase(address indexed buyer, uint256 indexed eth_sold, uint256 indexed tokens_bought)'
const ETH_PURCHASE = 'event EthPurchase(address indexed buyer, uint256 indexed tokens_sold, uint256 indexed eth_bought)'
/** Returns the zero address for a contract that is not an exchange of the factory. */
const GET_TOKEN = contractCall<[Address]>('function getToken(address exchange) view returns (address)')

/** One exchange per token, against native coin. A trade between two tokens goes through two exchanges. */
const uniswapV1: Protocol = {
  kind: 'uniswap-v1',
  about: {
    name: 'Uniswap V1',
    verifiedBy: '`getToken(exchange)` of the factory',
    notCovered: null,
  },
  family: 'uniswap-v1',
  events: { [TOKEN_PURCHASE]: (log) => swapOf(log, false), [ETH_PURCHASE]: (log) => swapOf(log, true) },
  identity: { by: 'proof', prove: proveExchange },
  state: null,
  ...NO_REFERENCES,
}

function swapOf(log: Log, isTokenSold: boolean) {
  const [, , soldAmount = '0x', boughtAmount = '0x'] = log.topics
  const exchange = exchangeOf(isTokenSold, uintWord(soldAmount, 0), uintWord(boughtAmount, 0))
  return exchangeEvent('uniswap-v1', log, exchange)
}

function* proveExchange({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const [answer] = yield [{ to: dex.factory, data: GET_TOKEN.data(pool) }]
  const [token = ZERO_ADDRESS] = GET_TOKEN.read(answer) ?? []
  if (token === ZERO_ADDRESS) return null
  const coins = [token, ZERO_ADDRESS]
  return { address: pool, dex, token0: token, token1: ZERO_ADDRESS, fee: 0, tickSpacing: null, coins }
}

export const venue: Venue = { protocols: [uniswapV1], deployments }
