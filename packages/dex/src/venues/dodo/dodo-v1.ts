import { contractCall } from '../../abi/contract-call.ts'
import { uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import type { Dex } from '../../pool.ts'
import { coinsOf, exchangeEvent } from '../exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from '../protocol.ts'

const SELL_BASE = 'event SellBaseToken(address indexed seller, uint256 payBase, uint256 receiveQuote)'
const BUY_BASE = 'event BuyBaseToken(address indexed buyer, uint256 receiveBase, uint256 payQuote)'
const BASE_TOKEN = contractCall<[Address]>('function _BASE_TOKEN_() view returns (address)')
const QUOTE_TOKEN = contractCall<[Address]>('function _QUOTE_TOKEN_() view returns (address)')
const GET_DODO = contractCall<[Address]>('function getDODO(address base, address quote) view returns (address)')

export const dodoV1: Protocol = {
  kind: 'dodo-v1',
  about: {
    name: 'DODO V1',
    verifiedBy: '`getDODO(base, quote)` of the factory',
    notCovered: 'pools that were removed from the factory',
  },
  family: 'dodo-v1',
  events: {
    [SELL_BASE]: (log) => swapOf(log, true, [uintWord(log.data, 0), uintWord(log.data, 1)]),
    [BUY_BASE]: (log) => swapOf(log, false, [uintWord(log.data, 1), uintWord(log.data, 0)]),
  },
  holdsTokens: true,
  identity: { by: 'proof', prove: provePool },
  state: null,
  ...NO_REFERENCES,
}

function swapOf(log: Log, isBaseSold: boolean, [soldAmount, boughtAmount]: readonly [bigint, bigint]) {
  const [sold, bought] = coinsOf(isBaseSold)
  return exchangeEvent('dodo-v1', log, { sold, soldAmount, bought, boughtAmount })
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const [base, quote] = yield [BASE_TOKEN, QUOTE_TOKEN].map((call) => ({ to: pool, data: call.data() }))
  const token0 = BASE_TOKEN.read(base)?.[0]
  const token1 = QUOTE_TOKEN.read(quote)?.[0]
  if (!token0 || !token1 || token0 === token1) return null
  const [answer] = yield [{ to: dex.factory, data: GET_DODO.data(token0, token1) }]
  return GET_DODO.read(answer)?.[0] === pool
    ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
    : null
}
