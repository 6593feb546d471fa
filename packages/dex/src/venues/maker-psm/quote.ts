import { MAX_UINT256 } from '../../abi/words.ts'
import type { FormulaKind, OutputBound, PoolFormula } from '../../maths/formula.ts'
import { smaller } from '../../maths/integers.ts'

/** A fee of 100 %. */
const WAD = 10n ** 18n
const GEM = 0
const DAI = 1

/** A PSM's state. DAI has 18 decimals. */
export interface PsmState {
  /** DAI per base unit of gem. */
  daiPerGem: bigint
  /** Fee on selling gem; MAX_UINT256 disables selling. */
  tin: bigint
  /** Fee on buying gem; MAX_UINT256 disables buying. */
  tout: bigint
  /** DAI that can still be drawn below the debt ceilings, before the fee. */
  ceiling: bigint
  cash: bigint
  gems: bigint
}

/** Maker's PSM (DssPsm) and LitePSM (DssLitePsm): `sellGem` and `buyGem`. */
export const psm: FormulaKind = {
  name: 'psm',
  of(values) {
    const [daiPerGem = 0n, tin = 0n, tout = 0n, ceiling = 0n, cash = 0n, gems = 0n] = values
    if (values.length !== 6 || values.some((value) => value < 0n || value > MAX_UINT256)) return null
    if (daiPerGem === 0n || daiPerGem > WAD) return null
    return new Psm({ daiPerGem, tin, tout, ceiling, cash, gems })
  },
  work: 10,
  gas: 90_000,
}

export function psmValues({ daiPerGem, tin, tout, ceiling, cash, gems }: PsmState): bigint[] {
  return [daiPerGem, tin, tout, ceiling, cash, gems]
}

class Psm implements PoolFormula {
  readonly balances: readonly [bigint, bigint]
  readonly #state: PsmState

  constructor(state: PsmState) {
    this.#state = state
    const { tin, tout, ceiling, cash, gems } = state
    const drawn = tin < WAD ? ceiling - (ceiling * tin) / WAD : 0n
    this.balances = [tout === MAX_UINT256 ? 0n : gems, smaller(drawn, cash)]
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    if (amountIn < 0n || amountIn > MAX_UINT256) return null
    if (from === GEM && to === DAI) return this.#sellGem(amountIn)
    return from === DAI && to === GEM ? this.#buyGem(amountIn) : null
  }

  /** Allows for one more unit, because the fee rounds down. */
  bound(from: number, to: number): OutputBound {
    const { daiPerGem, tin, tout } = this.#state
    const [gems, dai] = this.balances
    const unit = Number(daiPerGem)
    if (from === GEM && to === DAI && dai > 0n) {
      const kept = Number(WAD - tin) / Number(WAD)
      return { rate: Math.min(unit, unit * kept + 1), depth: 0 }
    }
    if (from !== DAI || to !== GEM || gems === 0n) return { rate: 0, depth: 0 }
    const price = unit * (1 + Number(tout) / Number(WAD))
    return { rate: Math.min(1 / unit, (1 + 1 / unit) / price), depth: 0 }
  }

  #sellGem(amount: bigint): bigint | null {
    const { daiPerGem, tin, ceiling, cash } = this.#state
    const full = amount * daiPerGem
    if (tin === MAX_UINT256 || full > ceiling || full * tin > MAX_UINT256) return null
    const paid = full - (full * tin) / WAD
    return paid >= 0n && paid <= cash ? paid : null
  }

  /** `buyGem` takes an amount of gem: the largest that the DAI pays for. The trader keeps the remaining DAI. */
  #buyGem(dai: bigint): bigint | null {
    const { daiPerGem, tout, gems } = this.#state
    if (tout === MAX_UINT256) return null
    const bought = ((dai + 1n) * WAD - 1n) / (daiPerGem * (WAD + tout))
    return bought <= gems && bought * daiPerGem * tout <= MAX_UINT256 ? bought : null
  }
}
