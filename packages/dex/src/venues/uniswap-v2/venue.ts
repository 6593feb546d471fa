import { contractCall, contractEvent, selectorOf, topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { PoolFamily, ProvidedEvent, ReservesEvent, SwapEvent } from '../../pool-event.ts'
import { FEE_UNITS, feeBothWays, type PairState } from '../../pool-state.ts'
import { addedAndRemoved } from '../liquidity-change.ts'
import type { CallResults, CreatedPool, EthCall, Protocol, StateReading, Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)'
const MINT = 'event Mint(address indexed sender, uint256 amount0, uint256 amount1)'
const BURN = 'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)'
/** Emitted before the Swap, Mint or Burn of the same call. */
const SYNC = 'event Sync(uint112 reserve0, uint112 reserve1)'
const GET_PAIR = contractCall<[Address]>('function getPair(address, address) view returns (address)')
const PAIR_CREATED = contractEvent(
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  ([token0, token1, pool]: [Address, Address, Address, bigint]): CreatedPool => {
    return { pool, token0, token1, lookupCall: () => GET_PAIR.data(token0, token1) }
  },
)
const GET_RESERVES = selectorOf('function getReserves() view returns (uint112, uint112, uint32)')

const PAIR_STATE: StateReading = {
  *steps(pool) {
    const [reserves] = yield [reservesQuestion(pool)]
    return readReserves(reserves)
  },
  ticks: null,
}

/**
 * Also reads the fee that a contract returns (`FeeCall`). No event shows its changes; they are found when states are
 * compared with the chain.
 */
const PAIR_STATE_WITH_FEE: StateReading = {
  beginsRead: true,
  *steps(pool) {
    const [reserves, feeResult] = yield [reservesQuestion(pool), ...feeQuestion(pool)]
    const { dex } = pool
    const state = readReserves(reserves)
    if (state === null || !feeResult || !hasWords(feeResult, 1) || dex.feeCall === undefined) return null
    const fee = feeBothWays(uintWord(feeResult, 0) * (FEE_UNITS / BigInt(dex.feeCall.denominator)))
    return fee && { ...state, fee: { ...fee, exact: true } }
  },
  ticks: null,
}

function reservesQuestion({ address }: Pool): EthCall {
  return { to: address, data: GET_RESERVES }
}

function feeQuestion({ address, dex }: Pool): EthCall[] {
  if (dex.feeCall === undefined) return []
  const { function: name, of } = dex.feeCall
  return [{ to: of === 'pair' ? address : dex.factory, data: selectorOf(`function ${name}() view returns (uint256)`) }]
}

function readReserves(reserves: CallResults[number] | undefined): PairState | null {
  return reserves && hasWords(reserves, 3)
    ? { kind: 'pair', reserve0: uintWord(reserves, 0), reserve1: uintWord(reserves, 1) }
    : null
}

export const PAIR_SWAP: Protocol['events'] = { [SWAP]: pairSwapDecoder('pair') }

const uniswapV2: Protocol = {
  kind: 'uniswap-v2',
  about: {
    name: 'Uniswap V2 and its forks',
    verifiedBy: '`getPair(token0, token1)` of the factory that the pair names',
    notCovered: 'quotes of forks with an unknown fee; what the tokens of Ring (`fw…`) wrap',
  },
  family: 'pair',
  entry: { verifying: 'factory', fee: true },
  events: { ...PAIR_SWAP, ...pairLiquidity(), [SYNC]: decodeSync },
  referenceTopics: [topicOf(SYNC)],
  holdsTokens: true,
  paysAtOnce: true,
  liquidityLogs: addedAndRemoved(MINT, BURN),
  identity: { by: 'factory', poolCall: GET_PAIR, argsOf: ({ token0, token1 }) => [token0, token1] },
  state: PAIR_STATE,
  stateWithFee: PAIR_STATE_WITH_FEE,
  creation: PAIR_CREATED,
  lookups: (tokenA, tokenB) => [{ data: GET_PAIR.data(tokenA, tokenB), tickSpacing: 1 }],
}

/** Returns a decoder for data with both inputs and then both outputs; the second indexed field is the recipient. */
export function pairSwapDecoder(family: PoolFamily): (log: Log) => SwapEvent {
  return ({ address: pool, data, topics, transactionIndex, logIndex }) => ({
    type: 'swap',
    family,
    pool,
    transactionIndex,
    logIndex,
    amount0: uintWord(data, 0) - uintWord(data, 2),
    amount1: uintWord(data, 1) - uintWord(data, 3),
    state: null,
    recipient: addressTopic(topics, 2),
  })
}

/** Returns decoders of Mint and Burn, whose data is what the pair received or paid. */
export function pairLiquidity(burn = BURN): Protocol['events'] {
  return { [MINT]: (log) => provided(log, true), [burn]: (log) => provided(log, false) }
}

function provided({ address: pool, data, transactionIndex, logIndex }: Log, isAdded: boolean): ProvidedEvent {
  const amounts = [uintWord(data, 0), uintWord(data, 1)]
  return { type: 'provided', family: 'pair', pool, transactionIndex, logIndex, provided: { isAdded, amounts } }
}

function decodeSync({ address: pool, data, transactionIndex, logIndex }: Log): ReservesEvent {
  return {
    type: 'reserves',
    family: 'pair',
    pool,
    transactionIndex,
    logIndex,
    reserve0: uintWord(data, 0),
    reserve1: uintWord(data, 1),
  }
}

export const venue: Venue = { protocols: [uniswapV2], deployments }
