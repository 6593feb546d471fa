import { contractCall } from '../../abi/contract-call.ts'
import { contractEvent } from '../../abi/contract-event.ts'
import { selectorOf } from '../../abi/fragment.ts'
import { callData, hasWords, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import type { FeeEvent } from '../../pool-event.ts'
import { type ConcentratedState, feeBothWays, type MovingFee } from '../../pool-state.ts'
import { scanByViews } from '../../tick-scan/tick-scan.ts'
import type { CallResults, CreatedPool, Protocol, StateReading } from '../protocol.ts'
import { readConcentratedState, uniswapV3 } from '../uniswap-v3/uniswap-v3.ts'

/** Emitted before the Swap, Mint or Burn of the same call. */
const FEE = 'event Fee(uint16 fee)'
const POOL_BY_PAIR = contractCall<[Address]>('function poolByPair(address, address) view returns (address)')
const POOL = contractEvent(
  'event Pool(address indexed token0, address indexed token1, address pool)',
  ([token0, token1, pool]: [Address, Address, Address]): CreatedPool => {
    return { pool, token0, token1, lookupCall: () => POOL_BY_PAIR.data(token0, token1) }
  },
)
export const GLOBAL_STATE = selectorOf('function globalState() view returns (uint160 price, int24 tick)')
export const LIQUIDITY = selectorOf('function liquidity() view returns (uint128)')
export const TICK_TABLE = selectorOf('function tickTable(int16) view returns (uint256)')
export const TICKS = selectorOf('function ticks(int24) view returns (uint128 liquidityTotal, int128 liquidityDelta)')

/** Bits of the bitmap are multiples of the tick spacing. */
export const ALGEBRA_TICKS: NonNullable<StateReading['ticks']> = {
  bitmap: ({ address }, word) => ({ to: address, data: callData(TICK_TABLE, word) }),
  tick: ({ address }, tick) => ({ to: address, data: callData(TICKS, tick) }),
  scan: scanByViews(TICK_TABLE, TICKS),
}

/**
 * One pool per pair, with Uniswap V3's events and a fee set by an oracle; the community's part of the fee does not
 * change outputs. A block's first swap or liquidity change adjusts the fee to volatility, so the next swap may pay
 * another fee than the last event shows.
 */
export const algebraV1: Protocol = {
  kind: 'algebra-v1',
  about: {
    name: 'Algebra V1 (QuickSwap V3)',
    verifiedBy: '`poolByPair(token0, token1)` of the factory that the pool names',
    notCovered: "the fee that the oracle sets with the next block's first swap",
  },
  family: 'concentrated',
  entry: { verifying: 'factory', others: ['poolDeployer'] },
  events: { ...uniswapV3.events, [FEE]: decodeFee },
  referenceTopics: uniswapV3.referenceTopics,
  holdsTokens: true,
  identity: {
    by: 'factory',
    poolCall: POOL_BY_PAIR,
    argsOf: ({ token0, token1 }) => [token0, token1],
    settle: ({ tickSpacing }) => (tickSpacing === null ? null : { fee: 0, tickSpacing }),
  },
  state: {
    // The initial fee is a constant of the code and in no event.
    beginsRead: true,
    *steps({ address }) {
      const results = yield [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to: address, data }))
      return readAlgebraState(results, { words: 7, feeWord: 2 })
    },
    ticks: ALGEBRA_TICKS,
  },
  creation: POOL,
  // The owner may change the spacing.
  lookups: (tokenA, tokenB) => [{ data: POOL_BY_PAIR.data(tokenA, tokenB), tickSpacing: 1 }],
}

export function readAlgebraState(
  results: CallResults,
  { words, feeWord }: { words: number; feeWord: number },
): (ConcentratedState & { fee: MovingFee }) | null {
  const [globalState] = results
  const state = readConcentratedState(results)
  if (state === null || !globalState || !hasWords(globalState, words)) return null
  const fee = feeBothWays(uintWord(globalState, feeWord))
  return fee && { ...state, fee: { ...fee, exact: true } }
}

export function feeEvent({ address: pool, transactionIndex, logIndex }: Log, change: Partial<MovingFee>): FeeEvent {
  return { type: 'fee', family: 'concentrated', pool, transactionIndex, logIndex, change }
}

function decodeFee(log: Log): FeeEvent | null {
  const fee = feeBothWays(uintWord(log.data, 0))
  return fee && feeEvent(log, fee)
}
