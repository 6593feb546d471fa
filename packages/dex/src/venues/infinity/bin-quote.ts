import { type Bin, BinFormula, binsOf, binValues } from '../../maths/bins/bin-formula.ts'
import { binPrices } from '../../maths/bins/bin-steps.ts'
import type { FormulaKind } from '../../maths/formula.ts'

/** A millionth as a share of 10^18. */
const MILLIONTH = 10n ** 12n
/** In millionths: up to 10 % for a hook's or key's fee, plus the protocol's fee, which is taken first. */
const MAX_FEE = 104_000n
const MAX_AMOUNT = (1n << 127n) - 1n
/** `Constants.MAX_LIQUIDITY_PER_BIN` of both protocols. */
export const MAX_BIN_LIQUIDITY = 65251743116719673010965625540244653191619923014385985379600384103134737n
const MAX_BIN_STEP = (1n << 16n) - 1n
const VALUES = 6

/** Fees are in millionths, for swaps that pay token0 and for swaps that pay token1. */
export interface InfinityBinState {
  binStep: bigint
  activeId: bigint
  fees: readonly [bigint, bigint]
  /** The protocol's part of the total fee. */
  shares: readonly [bigint, bigint]
  /** Ascending bins with usable liquidity, in both directions from the active bin, without gaps. */
  bins: readonly Bin[]
}

/** Bin pools of PancakeSwap Infinity: infinity-core `BinPool.swap`, `BinHelper`, `FeeHelper`. */
export const infinityBin: FormulaKind = {
  name: 'infinity-bin',
  of(values) {
    const [binStep = 0n, activeId = 0n, fee0 = 0n, fee1 = 0n, share0 = 0n, share1 = 0n, ...ofBins] = values
    const bins = binsOf(ofBins)
    if (bins === null || values.length < VALUES || binStep < 1n || binStep > MAX_BIN_STEP) return null
    if (activeId < 1n || activeId >> 24n !== 0n) return null
    if ([fee0, fee1, share0, share1].some((part) => part < 0n || part > MAX_FEE)) return null
    return new BinFormula(Number(activeId), bins, {
      priceOf: binPrices(binStep),
      feeOf: (_, isToken0Paid) => (isToken0Paid ? fee0 : fee1) * MILLIONTH,
      withheldOf: (fee, isToken0Paid) => (isToken0Paid ? shareOf(fee, share0, fee0) : shareOf(fee, share1, fee1)),
      maxLiquidity: MAX_BIN_LIQUIDITY,
      maxIn: { token0: MAX_AMOUNT, token1: MAX_AMOUNT },
      maxOut: MAX_AMOUNT,
    })
  },
  work: 40,
  gas: 120_000,
}

/** `PackedUint128Math.getProtocolFeeAmt` */
function shareOf(fee: bigint, share: bigint, whole: bigint): bigint {
  return share === 0n || whole === 0n ? 0n : (fee * share) / whole
}

export function infinityBinValues({ binStep, activeId, fees, shares, bins }: InfinityBinState): bigint[] {
  return [binStep, activeId, ...fees, ...shares, ...binValues(bins)]
}
