import { contractCall, contractEvent } from '../../abi/contract-abi.ts'
import { addressTopic, uintWord, WORD } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { ExchangeEvent, TouchEvent } from '../../pool-event.ts'
import { exchangeEvent, exchangeOf } from '../exchange.ts'
import { binsAddedAndRemoved, packedAmounts } from '../liquidity-change.ts'
import {
  type BinPath,
  NO_REFERENCES,
  type PoolCandidate,
  type PoolProof,
  type Protocol,
  type Venue,
} from '../protocol.ts'
import { providing, touches, touchOf } from '../touches.ts'
import deployments from './deployments.json' with { type: 'json' }
import { liquidityBook as liquidityBookFormula } from './quote.ts'
import { LIQUIDITY_BOOK_STATE } from './state.ts'

const SWAP =
  'event Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32 amountsOut, uint24 volatilityAccumulator, bytes32 totalFees, bytes32 protocolFees)'
const DEPOSITED = 'event DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)'
const WITHDRAWN =
  'event WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)'
/** Changes other than those of swaps and liquidity providers. A flash loan of version 2.1 leaves its fee in the active bin. */
const CHANGES = [
  'event StaticFeeParametersSet(address indexed sender, uint16 baseFactor, uint16 filterPeriod, uint16 decayPeriod, uint16 reductionFactor, uint24 variableFeeControl, uint16 protocolShare, uint24 maxVolatilityAccumulator)',
  'event HooksParametersSet(address indexed sender, bytes32 hooksParameters)',
  'event FlashLoan(address indexed sender, address indexed receiver, uint24 activeId, bytes32 amounts, bytes32 totalFees, bytes32 protocolFees)',
  'event ForcedDecay(address indexed sender, uint24 idReference, uint24 volatilityReference)',
]
const GET_TOKEN_X = contractCall<[Address]>('function getTokenX() view returns (address)')
const GET_TOKEN_Y = contractCall<[Address]>('function getTokenY() view returns (address)')
const GET_BIN_STEP = contractCall<[bigint]>('function getBinStep() view returns (uint16)')
const GET_PAIR = contractCall<[binStep: bigint, pair: Address, createdByOwner: boolean, ignoredForRouting: boolean]>(
  'function getLBPairInformation(address, address, uint256) view returns (uint16, address, bool, bool)',
)

const PAIR_CREATED = contractEvent(
  'event LBPairCreated(address indexed tokenX, address indexed tokenY, uint256 indexed binStep, address LBPair, uint256 pid)',
  ([, , , pair]: [Address, Address, bigint, Address, bigint]) => pair,
)

const HALF = 128n

/**
 * A swap emits one event per bin. Amounts are packed, X in the lower half of the word and Y in the upper half. Inputs
 * exclude the protocol's share.
 */
const liquidityBook: Protocol = {
  kind: 'liquidity-book',
  about: {
    name: 'Trader Joe Liquidity Book from V2.1',
    verifiedBy: '`getLBPairInformation(tokenX, tokenY, binStep)` of the factory',
    notCovered: 'V2, whose event differs; quotes beyond the bins that were read, and of pairs with hooks in swaps',
  },
  family: 'liquidity-book',
  events: {
    [SWAP]: decodeSwap,
    [DEPOSITED]: (log) => decodeLiquidity(log, true),
    [WITHDRAWN]: (log) => decodeLiquidity(log, false),
    ...touches('liquidity-book', ...CHANGES),
  },
  holdsTokens: true,
  liquidityLogs: binsAddedAndRemoved(DEPOSITED, WITHDRAWN, ({ address }) => address),
  binsOfSwap,
  identity: { by: 'proof', prove: provePair },
  created: [PAIR_CREATED],
  state: LIQUIDITY_BOOK_STATE,
  formulas: [liquidityBookFormula],
  ...NO_REFERENCES,
}

function decodeSwap(log: Log): ExchangeEvent | null {
  const [inX, inY] = halvesOf(log, 1)
  const [outX, outY] = halvesOf(log, 2)
  const [feeX, feeY] = halvesOf(log, 5)
  const isXSold = inX > 0n
  if (isXSold === inY > 0n) return null
  const exchange = isXSold ? exchangeOf(true, inX + feeX, outY) : exchangeOf(false, inY + feeY, outX)
  return exchangeEvent('liquidity-book', log, { ...exchange, recipient: addressTopic(log.topics, 2) })
}

function decodeLiquidity(log: Log, isAdded: boolean): TouchEvent {
  return providing(touchOf('liquidity-book', log), isAdded, packedAmounts(log.data, 1))
}

function halvesOf({ data }: Log, index: number): [bigint, bigint] {
  const word = uintWord(data, index)
  return [BigInt.asUintN(128, word), word >> HALF]
}

function* provePair({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const claims = yield [GET_TOKEN_X, GET_TOKEN_Y, GET_BIN_STEP].map((call) => ({ to: pool, data: call.data() }))
  const [token0] = GET_TOKEN_X.read(claims[0]) ?? []
  const [token1] = GET_TOKEN_Y.read(claims[1]) ?? []
  const [binStep] = GET_BIN_STEP.read(claims[2]) ?? []
  if (!token0 || !token1 || binStep === undefined || token0 === token1) return null
  const [answer] = yield [{ to: dex.factory, data: GET_PAIR.data(token0, token1, binStep) }]
  if (GET_PAIR.read(answer)?.[1] !== pool) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
}

function binsOfSwap(data: Hex, before: bigint | null): BinPath {
  if (data.length < 2 + WORD) return { lowest: null, highest: null, last: before }
  const bin = uintWord(data, 0)
  return { lowest: bin, highest: bin, last: bin }
}

export const venue: Venue = { protocols: [liquidityBook], deployments }
