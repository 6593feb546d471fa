import { contractCall } from '../../abi/contract-abi.ts'
import { hasWords, uintWord } from '../../abi/words.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { PoolState } from '../../pool-state.ts'
import { type Candidate, type ContractQuote, candidate, checkedState } from '../checked-state.ts'
import type { StateReading, StateSteps } from '../protocol.ts'
import { type PairFee, SOLVER, stablePair, volatilePair } from './quote.ts'

/** Returns the units of both tokens, the reserves, the stable flag and the tokens; Solidly V2 adds the fee. */
const METADATA = contractCall(
  'function metadata() view returns (uint256, uint256, uint256, uint256, bool, address, address)',
)
const METADATA_WORDS = [7, 8]
const AMOUNT_OUT = contractCall<[bigint]>(
  'function getAmountOut(uint256 amountIn, address tokenIn) view returns (uint256)',
)
/** Solidly V2's fee, in millionths. */
const FEE_RATIO = contractCall<[bigint]>('function feeRatio() view returns (uint256)')
/** The factory's fee in hundredths of a percent: per type of pair, or (the second function) per pair. */
const FEE_OF_TYPE = contractCall<[bigint]>('function getFee(bool stable) view returns (uint256)')
const FEE_OF_PAIR = contractCall<[bigint]>('function getFee(address pool, bool stable) view returns (uint256)')
const IS_PAUSED = contractCall<[boolean]>('function isPaused() view returns (bool)')

/** Constant fees of Solidly and Dystopia. */
const CONSTANT_FEES: readonly PairFee[] = [
  { part: 1n, whole: 10_000n },
  { part: 1n, whole: 2_000n },
]

export const SOLIDLY_STATE = stateBy(SOLVER.near)
export const VELODROME_STATE = stateBy(SOLVER.exact)

function stateBy(solver: bigint): StateReading {
  return { steps: (pool) => readPair(pool, solver), isReadAgain: true, ticks: null }
}

function* readPair(pool: Pool, solver: bigint): StateSteps {
  const { address, dex } = pool
  const [metadata, isPaused] = yield [
    { to: address, data: METADATA.data() },
    { to: dex.factory, data: IS_PAUSED.data() },
  ]
  if (!metadata || !METADATA_WORDS.some((words) => hasWords(metadata, words))) return null
  if (IS_PAUSED.read(isPaused)?.[0] !== false) return null
  const [unit0, unit1, reserve0, reserve1, stable] = [0, 1, 2, 3, 4].map((index) => uintWord(metadata, index))
  if (unit0 === undefined || unit1 === undefined || reserve0 === undefined || reserve1 === undefined) return null
  const isStable = stable === 1n
  const [ratio, ofPair, ofType] = yield [
    { to: address, data: FEE_RATIO.data() },
    { to: dex.factory, data: FEE_OF_PAIR.data(address, Number(isStable)) },
    { to: dex.factory, data: FEE_OF_TYPE.data(Number(isStable)) },
  ]
  const candidateOf = ({ part, whole }: PairFee): Candidate => {
    const values = [reserve0, reserve1, part, whole]
    return isStable ? candidate(stablePair, [...values, unit0, unit1, solver]) : candidate(volatilePair, values)
  }
  const states: PoolState[] = []
  for (const fee of feesOf(FEE_RATIO.read(ratio), FEE_OF_PAIR.read(ofPair) ?? FEE_OF_TYPE.read(ofType))) {
    const state = yield* checkedState(candidateOf(fee), quoteOf(pool))
    if (state !== null) states.push(state)
  }
  // If amounts have few units, several fees may match the samples.
  const [state = null] = states
  return states.length === 1 ? state : null
}

function feesOf(ratio: [bigint] | null, fee: [bigint] | null): readonly PairFee[] {
  if (ratio !== null) return [{ part: ratio[0], whole: 1_000_000n }]
  return fee === null ? CONSTANT_FEES : [{ part: fee[0], whole: 10_000n }]
}

function quoteOf({ address, token0, token1 }: Pool): ContractQuote {
  const tokenOf = (coin: number): Address => (coin === 0 ? token0 : token1)
  return {
    call: (from, _to, amountIn) => ({ to: address, data: AMOUNT_OUT.data(amountIn, tokenOf(from)) }),
    read: (reply: Hex) => AMOUNT_OUT.read(reply)?.[0] ?? null,
  }
}
