import { contractCall } from '../../abi/contract-call.ts'
import { addressWord, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import type { Dex } from '../../pool.ts'
import type { ExchangeEvent } from '../../pool-event.ts'
import type { Venue } from '../protocol.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from '../protocol.ts'
import { touches } from '../touches.ts'
import deployments from './deployments.json' with { type: 'json' }
import { dodoV1 } from './dodo-v1.ts'
import { dodo as dodoFormula } from './quote.ts'
import { DODO_STATE } from './state.ts'

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
const BASE_TOKEN = contractCall<[Address]>('function _BASE_TOKEN_() view returns (address)')
const QUOTE_TOKEN = contractCall<[Address]>('function _QUOTE_TOKEN_() view returns (address)')
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

function decodeSwap({ address: pool, data, transactionIndex, logIndex }: Log): ExchangeEvent {
  return {
    type: 'exchange',
    family: 'dodo',
    pool,
    transactionIndex,
    logIndex,
    sold: { token: addressWord(data, 0) },
    soldAmount: uintWord(data, 2),
    bought: { token: addressWord(data, 1) },
    boughtAmount: uintWord(data, 3),
  }
}

function* proveDodoPool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const [base, quote] = yield [BASE_TOKEN, QUOTE_TOKEN].map((call) => ({ to: pool, data: call.data() }))
  const token0 = BASE_TOKEN.read(base)?.[0]
  const token1 = QUOTE_TOKEN.read(quote)?.[0]
  if (!token0 || !token1 || token0 === token1) return null
  const factories = new Set([dex.factory, ...FACTORY_FIELDS.flatMap((field) => dex.contracts?.[field] ?? [])])
  const lists = yield [...factories].map((to) => ({ to, data: GET_POOLS.data(token0, token1) }))
  const isListed = lists.some((list) => GET_POOLS.read(list)?.[0].includes(pool))
  return isListed ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null } : null
}

export const venue: Venue = { protocols: [dodo, dodoV1], deployments }
