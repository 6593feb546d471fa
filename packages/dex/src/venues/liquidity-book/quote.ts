import { type Bin, BinFormula, binsOf, binValues } from '../../maths/bins/bin-formula.ts'
import { binPrices } from '../../maths/bins/bin-steps.ts'
import type { FormulaKind } from '../../maths/formula.ts'
import { MAX_BIN_LIQUIDITY } from '../infinity/bin-quote.ts'

const BASIS_POINTS = 10_000n
/** `Constants.MAX_FEE`: 10 % */
const MAX_FEE = 10n ** 17n
const MAX_AMOUNT = (1n << 128n) - 1n
const MAX_BIN_STEP = (1n << 16n) - 1n
const VALUES = 11

export interface LiquidityBookState {
  binStep: bigint
  activeId: bigint
  baseFactor: bigint
  variableFeeControl: bigint
  maxVolatility: bigint
  /** The remaining volatility. It grows with the distance from the bin `idReference`. */
  volatilityReference: bigint
  idReference: bigint
  /** The protocol's part of the fee, in hundredths of a percent. */
  protocolShare: bigint
  /** From 2.2 on, a swap reverts if it makes a bin worth too much. */
  isLiquidityLimited: boolean
  /** Everything that the pair holds, protocol fees included. */
  totals: readonly [bigint, bigint]
  /** Ascending, in both directions from the active bin, without gaps. */
  bins: readonly Bin[]
}

/**
 * Pairs of the Liquidity Book 2.1 and 2.2: joe-v2 `LBPair.swap`, `BinHelper.getAmounts`, `FeeHelper`,
 * `PairParameterHelper`.
 */
export const liquidityBook: FormulaKind = {
  name: 'liquidity-book',
  of(values) {
    const [binStep = 0n, activeId = 0n, baseFactor = 0n, control = 0n, maxVolatility = 0n, ...others] = values
    const [reference = 0n, idReference = 0n, share = 0n, isLimited = 0n, total0 = 0n, total1 = 0n, ...ofBins] = others
    const bins = binsOf(ofBins)
    if (bins === null || values.length < VALUES || values.some((value) => value < 0n || value > MAX_AMOUNT)) return null
    if (binStep < 1n || binStep > MAX_BIN_STEP || activeId >> 24n !== 0n || share > BASIS_POINTS) return null
    const feeOf = (id: number) => {
      const distance = BigInt(id) - idReference
      const grown = reference + (distance < 0n ? -distance : distance) * BASIS_POINTS
      const moved = (grown < maxVolatility ? grown : maxVolatility) * binStep
      const fee = baseFactor * binStep * 10n ** 10n + (moved * moved * control + 99n) / 100n
      return fee > MAX_FEE ? null : fee
    }
    return new BinFormula(Number(activeId), bins, {
      priceOf: binPrices(binStep),
      feeOf,
      withheldOf: (fee) => (isLimited === 0n ? (fee * share) / BASIS_POINTS : 0n),
      maxLiquidity: isLimited === 0n ? null : MAX_BIN_LIQUIDITY,
      maxIn: { token0: MAX_AMOUNT - total0, token1: MAX_AMOUNT - total1 },
      maxOut: MAX_AMOUNT,
    })
  },
  work: 40,
  gas: 120_000,
}

export function liquidityBookValues(state: LiquidityBookState): bigint[] {
  return [
    state.binStep,
    state.activeId,
    state.baseFactor,
    state.variableFeeControl,
    state.maxVolatility,
    state.volatilityReference,
    state.idReference,
    state.protocolShare,
    state.isLiquidityLimited ? 1n : 0n,
    ...state.totals,
    ...binValues(state.bins),
  ]
}
