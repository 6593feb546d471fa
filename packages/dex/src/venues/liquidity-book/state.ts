import { contractCall } from '../../abi/contract-abi.ts'
import type { Pool } from '../../pool.ts'
import { BINS_EACH_SIDE, type ContractQuote, candidate, checkedBins } from '../checked-state.ts'
import type { CallResults, StateReading } from '../protocol.ts'
import { type LiquidityBookState, liquidityBook, liquidityBookValues } from './quote.ts'

const GET_ACTIVE_ID = contractCall<[bigint]>('function getActiveId() view returns (uint24)')
const GET_BIN_STEP = contractCall<[bigint]>('function getBinStep() view returns (uint16)')
const GET_STATIC_FEES = contractCall<[bigint, bigint, bigint, bigint, bigint, bigint, bigint]>(
  'function getStaticFeeParameters() view returns (uint16 baseFactor, uint16 filterPeriod, uint16 decayPeriod, uint16 reductionFactor, uint24 variableFeeControl, uint16 protocolShare, uint24 maxVolatilityAccumulator)',
)
const GET_VARIABLE_FEES = contractCall<[bigint, bigint, bigint, bigint]>(
  'function getVariableFeeParameters() view returns (uint24 volatilityAccumulator, uint24 volatilityReference, uint24 idReference, uint40 timeOfLastUpdate)',
)
/** Reverts in version 2.1, which has no hooks. */
const GET_HOOKS = contractCall<[bigint]>('function getLBHooksParameters() view returns (uint256)')
const GET_RESERVES = contractCall<[bigint, bigint]>('function getReserves() view returns (uint128, uint128)')
const GET_PROTOCOL_FEES = contractCall<[bigint, bigint]>('function getProtocolFees() view returns (uint128, uint128)')
const GET_BIN = contractCall<[bigint, bigint]>('function getBin(uint24) view returns (uint128, uint128)')
const GET_SWAP_OUT = contractCall<[left: bigint, out: bigint, fee: bigint]>(
  'function getSwapOut(uint128, bool) view returns (uint128 amountInLeft, uint128 amountOut, uint128 fee)',
)

/** beforeSwap and afterSwap may refuse a swap or change the pair before it. */
const SWAP_RIGHTS = 3n << 160n
const LAST_ID = (1 << 24) - 1
const BASIS_POINTS = 10_000n

export const LIQUIDITY_BOOK_STATE: StateReading = {
  isReadAgain: true,
  *steps(pool, timestamp) {
    const calls = [GET_ACTIVE_ID, GET_BIN_STEP, GET_STATIC_FEES, GET_VARIABLE_FEES, GET_RESERVES, GET_PROTOCOL_FEES]
    const replies = yield [...calls, GET_HOOKS].map((call) => ({ to: pool.address, data: call.data() }))
    const reading = readPair(replies, BigInt(timestamp))
    if (reading === null) return null
    const ids = idsAround(Number(reading.pair.activeId))
    const inBins = yield ids.map((id) => ({ to: pool.address, data: GET_BIN.data(id) }))
    const bins = ids.flatMap((id, index) => {
      const [reserve0, reserve1] = GET_BIN.read(inBins[index]) ?? []
      return reserve0 === undefined || reserve1 === undefined ? [] : [{ id, reserve0, reserve1 }]
    })
    if (bins.length < ids.length) return null
    const held = bins.filter(({ reserve0, reserve1 }) => reserve0 > 0n || reserve1 > 0n)
    const values = liquidityBookValues({ ...reading.pair, bins: held })
    return yield* checkedBins(candidate(liquidityBook, values, reading.isMoving ? timestamp : null), quoteOf(pool))
  },
  ticks: null,
}

interface KnownPair {
  pair: Omit<LiquidityBookState, 'bins'>
  isMoving: boolean
}

function readPair(replies: CallResults, now: bigint): KnownPair | null {
  const [activeId] = GET_ACTIVE_ID.read(replies[0]) ?? []
  const [binStep] = GET_BIN_STEP.read(replies[1]) ?? []
  const fixed = GET_STATIC_FEES.read(replies[2])
  const variable = GET_VARIABLE_FEES.read(replies[3])
  const reserves = GET_RESERVES.read(replies[4])
  const protocolFees = GET_PROTOCOL_FEES.read(replies[5])
  const hooks = GET_HOOKS.read(replies[6])
  if (activeId === undefined || binStep === undefined || !fixed || !variable || !reserves || !protocolFees) return null
  if (hooks !== null && (hooks[0] & SWAP_RIGHTS) !== 0n) return null
  const [baseFactor, filterPeriod, decayPeriod, reduction, variableFeeControl, protocolShare, maxVolatility] = fixed
  const [accumulator, reference, lastId, updated] = variable
  const elapsed = now - updated
  if (elapsed < 0n) return null
  // PairParameterHelper.updateReferences
  const isDecayed = elapsed >= decayPeriod
  const isFiltered = elapsed < filterPeriod
  const reduced = isDecayed ? 0n : (accumulator * reduction) / BASIS_POINTS
  return {
    pair: {
      activeId,
      binStep,
      baseFactor,
      variableFeeControl,
      protocolShare,
      maxVolatility,
      volatilityReference: isFiltered ? reference : reduced,
      idReference: isFiltered ? lastId : activeId,
      isLiquidityLimited: hooks !== null,
      totals: [reserves[0] + protocolFees[0], reserves[1] + protocolFees[1]],
    },
    isMoving: variableFeeControl > 0n && !isDecayed,
  }
}

function idsAround(activeId: number): number[] {
  const first = Math.max(activeId - BINS_EACH_SIDE, 0)
  const last = Math.min(activeId + BINS_EACH_SIDE, LAST_ID)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function quoteOf({ address }: Pool): ContractQuote {
  return {
    call: (from, _to, amountIn) => ({ to: address, data: GET_SWAP_OUT.data(amountIn, from === 0 ? 1 : 0) }),
    read: (reply) => {
      const [left, out] = GET_SWAP_OUT.read(reply) ?? []
      return left === 0n && out !== undefined && out > 0n ? out : null
    },
  }
}
