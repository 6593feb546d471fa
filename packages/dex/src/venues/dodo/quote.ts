import { MAX_UINT256 } from '../../abi/words.ts'
import { type FormulaKind, type OutputBound, type PoolFormula, upperBound } from '../../maths/formula.ts'
import { orNull, sub } from '../../maths/integers.ts'
import { mulFloor, ONE, type PmmState, R, sellBase, sellQuote } from './pmm.ts'

/** Reserves and stored targets have 112 bits. */
const MAX_UINT112 = 2n ** 112n - 1n
const BASE = 0
const QUOTE = 1

/** DVM stores no targets, DPP and DSP do; GSP also has checked arithmetic. */
export const DODO_VERSION = { dvm: 0n, stored: 1n, checked: 2n } as const

/** PMMPricing.PMMState as the pool returns it, with the fees, which are taken from the output. */
export interface DodoState extends Omit<PmmState, 'isChecked'> {
  lpFee: bigint
  mtFee: bigint
  version: bigint
}

/** DODO V2: querySellBase and querySellQuote of DVM, DPP, DSP and GSP, then the transfers. */
export const dodo: FormulaKind = {
  name: 'dodo',
  of(values) {
    const [i = 0n, k = 0n, b = 0n, q = 0n, b0 = 0n, q0 = 0n, r = 0n, lpFee = 0n, mtFee = 0n, version = 0n] = values
    if (values.length !== 10 || values.some((value) => value < 0n || value > MAX_UINT256)) return null
    if (i === 0n || k > ONE || b > MAX_UINT112 || q > MAX_UINT112 || r > R.below) return null
    if (lpFee + mtFee >= ONE || version > DODO_VERSION.checked) return null
    return new DodoPool({ i, k, b, q, b0, q0, r, lpFee, mtFee, version })
  },
  work: 60,
  gas: 130_000,
}

export function dodoValues({ i, k, b, q, b0, q0, r, lpFee, mtFee, version }: DodoState): bigint[] {
  return [i, k, b, q, b0, q0, r, lpFee, mtFee, version]
}

class DodoPool implements PoolFormula {
  readonly balances: readonly [bigint, bigint]
  readonly #state: DodoState
  readonly #pmm: PmmState
  readonly #bounds: OutputBound[] = []

  constructor(state: DodoState) {
    this.#state = state
    this.#pmm = { ...state, isChecked: state.version === DODO_VERSION.checked }
    this.balances = [state.b, state.q]
  }

  /** Also returns null above the bound, for example where the contract's rounding exceeds what a few units buy. */
  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    if (from + to !== BASE + QUOTE || from * to !== 0 || amountIn < 0n || amountIn > MAX_UINT112) return null
    const paid = orNull(() => this.#paid(from === BASE, amountIn))
    if (paid === null) return null
    const { rate, depth } = this.bound(from, to)
    return Number(paid) <= upperBound(rate, depth, Number(amountIn)) ? paid : null
  }

  bound(from: number, to: number): OutputBound {
    if (from + to !== BASE + QUOTE || from * to !== 0) return { rate: 0, depth: 0 }
    this.#bounds[from] ??= boundOf(this.#state, from === BASE)
    return this.#bounds[from]
  }

  #paid(isBaseSold: boolean, amountIn: bigint): bigint | null {
    const { b, q, b0, q0, r, lpFee, mtFee, version } = this.#state
    const { amount, newR } = isBaseSold ? sellBase(this.#pmm, amountIn) : sellQuote(this.#pmm, amountIn)
    const [reserveIn, reserveOut, target] = isBaseSold ? [b, q, b0] : [q, b, q0]
    const toMaintainer = mulFloor(amount, mtFee)
    const paid = sub(sub(amount, mulFloor(amount, lpFee)), toMaintainer)
    if (paid + toMaintainer > reserveOut || reserveIn + amountIn > MAX_UINT112) return null
    return newR !== r && version !== DODO_VERSION.dvm && target > MAX_UINT112 ? null : paid
  }
}

/** The contract's rounding may beat the curve; amounts are quoted up to this factor above the curve. */
const ROUNDED_UP = 1 + 1e-4

/** Returns the bound of one direction. A swap that reaches R = 1 continues on a second, flatter curve. */
function boundOf({ i, k, b, q, b0, q0, r, lpFee, mtFee }: DodoState, isBaseSold: boolean): OutputBound {
  const curve = Number(k) / Number(ONE)
  const price = isBaseSold ? Number(i) / Number(ONE) : Number(ONE) / Number(i)
  const kept = (1 - Number(lpFee + mtFee) / Number(ONE)) * ROUNDED_UP
  const [reserveIn, reserveOut] = isBaseSold ? [b, q] : [q, b]
  const [targetIn, targetOut] = isBaseSold ? [b0, q0] : [q0, b0]
  if (reserveOut === 0n) return { rate: 0, depth: 0 }
  if (r !== (isBaseSold ? R.above : R.below)) {
    const stock = Number(r === R.one ? targetOut : reserveOut)
    const ratio = (Number(targetOut) / stock) ** 2
    const slope = 1 - curve + curve * ratio
    const rate = price / slope
    return { rate: rate * kept, depth: (curve * ratio * rate) / (slope * stock) }
  }
  const ratio = (Number(targetIn) / Number(reserveIn)) ** 2
  const rate = price * (1 - curve + curve * ratio)
  const back = Number(targetIn - reserveIn)
  const given = Number(reserveOut - targetOut)
  if (targetOut > 0n) {
    // At R = 1 the contract pays its whole surplus above the target, even if rounding has changed the surplus.
    const whole = back > 0 ? given / back : 0
    return { rate: Math.max(rate, whole, price) * kept, depth: 0 }
  }
  const depth = (curve * ratio) / ((1 - curve) * Number(targetIn) + curve * ratio * Number(reserveIn))
  return { rate: rate * kept, depth: Number.isFinite(depth) ? depth : 0 }
}
