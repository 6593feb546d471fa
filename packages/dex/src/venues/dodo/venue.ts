import { contractCall } from '../../abi/contract-abi.ts'
import { addressWord, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { ExchangeEvent } from '../../pool-event.ts'
import { exchangeEvent, exchangeOf } from '../exchange.ts'
import {
  type CallResults,
  type EthCall,
  NO_REFERENCES,
  type PoolCandidate,
  type PoolProof,
  type Protocol,
  type Venue,
} from '../protocol.ts'
import { touches } from '../touches.ts'
import deployments from './deployments.json' with { type: 'json' }
import { dodo as dodoFormula } from './quote.ts'
import { DODO_STATE } from './state.ts'

const BASE_TOKEN = contractCall<[Address]>('function _BASE_TOKEN_() view returns (address)')
const QUOTE_TOKEN = contractCall<[Address]>('function _QUOTE_TOKEN_() view returns (address)')

/** Returns what a pool says are its base and quote token; null if they are no pair. */
function* tokensOf(pool: Address): Generator<readonly EthCall[], [base: Address, quote: Address] | null, CallResults> {
  const [baseReply, quoteReply] = yield [BASE_TOKEN, QUOTE_TOKEN].map((call) => ({ to: pool, data: call.data() }))
  const base = BASE_TOKEN.read(baseReply)?.[0]
  const quote = QUOTE_TOKEN.read(quoteReply)?.[0]
  return base && quote && base !== quote ? [base, quote] : null
}

const SELL_BASE = 'event SellBaseToken(address indexed seller, uint256 payBase, uint256 receiveQuote)'
const BUY_BASE = 'event BuyBaseToken(address indexed buyer, uint256 receiveBase, uint256 payQuote)'
const GET_DODO = contractCall<[Address]>('function getDODO(address base, address quote) view returns (address)')

const dodoV1: Protocol = {
  kind: 'dodo-v1',
  about: {
    name: 'DODO V1',
    verifiedBy: '`getDODO(base, quote)` of the factory',
    notCovered: 'pools that were removed from the factory',
  },
  family: 'dodo-v1',
  events: {
    [SELL_BASE]: (log) => exchangeEvent('dodo-v1', log, exchangeOf(true, uintWord(log.data, 0), uintWord(log.data, 1))),
    [BUY_BASE]: (log) => exchangeEvent('dodo-v1', log, exchangeOf(false, uintWord(log.data, 1), uintWord(log.data, 0))),
  },
  holdsTokens: true,
  identity: { by: 'proof', prove: proveV1Pool },
  state: null,
  ...NO_REFERENCES,
}

function* proveV1Pool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const tokens = yield* tokensOf(pool)
  if (tokens === null) return null
  const [token0, token1] = tokens
  const [answer] = yield [{ to: dex.factory, data: GET_DODO.data(token0, token1) }]
  return GET_DODO.read(answer)?.[0] === pool
    ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: tokens }
    : null
}

const SWAP =
  'event DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)'
const CHANGES = [
  'event BuyShares(address to, uint256 increaseShares, uint256 totalShares)',
  'event SellShares(address payer, address to, uint256 decreaseShares, uint256 totalShares)',
  'event LpFeeRateChange(uint256 newLpFeeRate)',
  'event MtFeeRateChange(uint256 newMtFee)',
  'event IChange(uint256 newI)',
  'event DODOFlashLoan(address borrower, address assetTo, uint256 baseAmount, uint256 quoteAmount)',
]
const GET_POOLS = contractCall<[readonly Address[]]>('function getDODOPool(address, address) view returns (address[])')

const FACTORY_FIELDS: readonly string[] = ['factory', 'dvmFactory', 'dppFactory', 'dspFactory', 'gspFactory']

const dodo: Protocol = {
  kind: 'dodo',
  about: {
    name: 'DODO V2 and V3 (DVM, DPP, DSP, GSP)',
    verifiedBy: '`getDODOPool(base, quote)` of a factory',
    notCovered: 'factories of early 2021, in which any account could register private pools',
  },
  family: 'dodo',
  entry: { verifying: null, others: FACTORY_FIELDS, rateProviders: true },
  events: { [SWAP]: decodeSwap, ...touches('dodo', ...CHANGES) },
  holdsTokens: true,
  identity: { by: 'proof', prove: proveDodoPool },
  state: DODO_STATE,
  formulas: [dodoFormula],
  ...NO_REFERENCES,
}

function decodeSwap(log: Log): ExchangeEvent {
  const { data } = log
  return exchangeEvent('dodo', log, {
    sold: { token: addressWord(data, 0) },
    soldAmount: uintWord(data, 2),
    bought: { token: addressWord(data, 1) },
    boughtAmount: uintWord(data, 3),
  })
}

function* proveDodoPool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const tokens = yield* tokensOf(pool)
  if (tokens === null) return null
  const [token0, token1] = tokens
  const factories = new Set([dex.factory, ...FACTORY_FIELDS.flatMap((field) => dex.contracts?.[field] ?? [])])
  const lists = yield [...factories].map((to) => ({ to, data: GET_POOLS.data(token0, token1) }))
  const isListed = lists.some((list) => GET_POOLS.read(list)?.[0].includes(pool))
  return isListed ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null } : null
}

export const venue: Venue = { protocols: [dodo, dodoV1], deployments }
