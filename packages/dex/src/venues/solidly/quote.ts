import { MAX_UINT256 } from '../../abi/words.ts'
import { type FormulaKind, NO_OUTPUT, type OutputBound, type PoolFormula, upperBound } from '../../maths/formula.ts'
import { add, div, mul, orNull, revert, sub } from '../../maths/integers.ts'

/** A pair's fee, `part` / `whole` of the input, rounded down and deducted first. */
export interface PairFee {
  part: bigint
  whole: bigint
}

function isPair(reserves: readonly bigint[], { part, whole }: PairFee): boolean {
  return [...reserves, part, whole].every((value) => value >= 0n && value <= MAX_UINT256) && part < whole
}

function keptOf(amountIn: bigint, { part, whole }: PairFee): bigint {
  return amountIn - mul(amountIn, part) / whole
}

/** Fees round down and outputs may round up, so outputs are quoted up to this factor above the curve. */
const ROUNDED_UP = 1 + 1e-4
/** With a smaller reserve, fees are only a few units and may round down to nothing. */
const MANY_UNITS = 1e10

function boundOfRate(rate: number, depth: number, reserveIn: bigint, { part, whole }: PairFee): OutputBound {
  const kept = Number(reserveIn) < MANY_UNITS ? 1 : 1 - Number(part) / Number(whole)
  return Number.isFinite(rate) ? { rate: rate * kept * ROUNDED_UP, depth: depth * kept } : { rate: 0, depth: 0 }
}

/**
 * Returns the output if it is within its bound, else null. Rounding may lift an output of a few units above the bound.
 */
function underBound(paid: bigint | null, { rate, depth }: OutputBound, amountIn: bigint): bigint | null {
  return paid !== null && Number(paid) <= upperBound(rate, depth, Number(amountIn)) ? paid : null
}

/** Volatile pairs of Solidly and forks (`_getAmountOut`): a constant product after the fee. */
export const volatilePair: FormulaKind = {
  name: 'volatile-pair',
  of(values) {
    const [reserve0 = 0n, reserve1 = 0n, part = 0n, whole = 0n] = values
    const fee = { part, whole }
    return values.length === 4 && isPair([reserve0, reserve1], fee) ? new VolatilePair([reserve0, reserve1], fee) : null
  },
  work: 15,
  gas: 90_000,
}

class VolatilePair implements PoolFormula {
  readonly balances: readonly [bigint, bigint]
  readonly #fee: PairFee

  constructor(reserves: readonly [bigint, bigint], fee: PairFee) {
    this.balances = reserves
    this.#fee = fee
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    const reserveIn = this.balances[from]
    const reserveOut = this.balances[to]
    if (from === to || reserveIn === undefined || reserveOut === undefined || amountIn <= 0n) return null
    const paid = orNull(() => {
      const kept = keptOf(amountIn, this.#fee)
      // The pair compares the products before and after the swap, so both must fit a word.
      mul(add(reserveIn, amountIn), reserveOut)
      return kept === 0n ? 0n : mul(kept, reserveOut) / add(reserveIn, kept)
    })
    return paid === 0n ? null : underBound(paid, this.bound(from, to), amountIn)
  }

  bound(from: number, to: number): OutputBound {
    const reserveIn = this.balances[from]
    const reserveOut = this.balances[to]
    if (from === to || !reserveIn || !reserveOut) return NO_OUTPUT
    return boundOfRate(Number(reserveOut) / Number(reserveIn), 1 / Number(reserveIn), reserveIn, this.#fee)
  }
}

const ONE = 10n ** 18n
const MAX_ROUNDS = 255

/** How a generation solves its curve: Solidly stops near the root, Velodrome V2 at the root, rounded up. */
export const SOLVER = { near: 0n, exact: 1n } as const

interface Side {
  reserve: bigint
  /** Base units per whole token. */
  unit: bigint
  /** With 18 decimals. */
  scaled: bigint
}

/** Stable pairs of Solidly and forks (`_getAmountOut`, `_get_y`, `_k`): x³y + y³x stays constant after the fee. */
export const stablePair: FormulaKind = {
  name: 'stable-pair',
  of(values) {
    const [reserve0 = 0n, reserve1 = 0n, part = 0n, whole = 0n, unit0 = 0n, unit1 = 0n, solver = 0n] = values
    if (values.length !== 7 || !isPair([reserve0, reserve1, unit0, unit1], { part, whole })) return null
    if (unit0 === 0n || unit1 === 0n || (solver !== SOLVER.near && solver !== SOLVER.exact)) return null
    return orNull(() => {
      const side = (reserve: bigint, unit: bigint) => ({ reserve, unit, scaled: mul(reserve, ONE) / unit })
      return new StablePair([side(reserve0, unit0), side(reserve1, unit1)], { part, whole }, solver)
    })
  },
  work: 120,
  gas: 110_000,
}

class StablePair implements PoolFormula {
  readonly balances: readonly bigint[]
  readonly #sides: readonly [Side, Side]
  readonly #fee: PairFee
  readonly #solve: (x: bigint, k: bigint, y: bigint) => bigint
  #k: bigint | null | undefined

  constructor(sides: readonly [Side, Side], fee: PairFee, solver: bigint) {
    this.balances = sides.map(({ reserve }) => reserve)
    this.#sides = sides
    this.#fee = fee
    this.#solve = solver === SOLVER.near ? solveNear : solveExact
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    const sold = this.#sides[from]
    const bought = this.#sides[to]
    if (from === to || sold === undefined || bought === undefined || amountIn <= 0n) return null
    const paid = orNull(() => this.#paid(sold, bought, amountIn))
    return underBound(paid, this.bound(from, to), amountIn)
  }

  bound(from: number, to: number): OutputBound {
    const sold = this.#sides[from]
    const bought = this.#sides[to]
    if (from === to || sold === undefined || bought === undefined) return NO_OUTPUT
    const x = Number(sold.scaled)
    const y = Number(bought.scaled)
    if (x === 0 || y === 0) return NO_OUTPUT
    const ratio = y / x
    const rate = (3 * ratio + ratio ** 3) / (1 + 3 * ratio ** 2)
    return boundOfRate((rate / Number(sold.unit)) * Number(bought.unit), 0, sold.reserve, this.#fee)
  }

  #paid(sold: Side, bought: Side, amountIn: bigint): bigint | null {
    const before = this.#invariant()
    if (before === null) return null
    const kept = keptOf(amountIn, this.#fee)
    const x = add(mul(kept, ONE) / sold.unit, sold.scaled)
    const y = sub(bought.scaled, this.#solve(x, before, bought.scaled))
    const paid = mul(y, bought.unit) / ONE
    if (paid === 0n || paid >= bought.reserve) return null
    const scaled = (side: Side, reserve: bigint) => mul(reserve, ONE) / side.unit
    const after = invariant(scaled(sold, add(sold.reserve, kept)), scaled(bought, bought.reserve - paid))
    return after >= before ? paid : null
  }

  #invariant(): bigint | null {
    const [first, second] = this.#sides
    if (this.#k === undefined) this.#k = orNull(() => invariant(first.scaled, second.scaled))
    return this.#k
  }
}

/** `_k` of a stable pair, `_f` of Velodrome V2. */
function invariant(x: bigint, y: bigint): bigint {
  const product = mul(x, y) / ONE
  return mul(product, add(mul(x, x) / ONE, mul(y, y) / ONE)) / ONE
}

/** Solidly's `_f`, which rounds differently. */
function curve(x: bigint, y: bigint): bigint {
  return add(mul(x, cube(y)) / ONE, mul(cube(x), y) / ONE)
}

function cube(value: bigint): bigint {
  return mul(mul(value, value) / ONE, value) / ONE
}

/** `_d`: the derivative by y. */
function slope(x: bigint, y: bigint): bigint {
  return add(mul(mul(3n, x), mul(y, y) / ONE) / ONE, cube(x))
}

/** Solidly's `_get_y`: Newton's method until a step is at most 1. */
function solveNear(x: bigint, k: bigint, start: bigint): bigint {
  let y = start
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const now = curve(x, y)
    const step = div(mul(now < k ? k - now : now - k, ONE), slope(x, y))
    y = now < k ? add(y, step) : sub(y, step)
    if (step <= 1n) return y
  }
  return y
}

/** Velodrome V2's `_get_y`: the smallest y at which the curve reaches k. */
function solveExact(x: bigint, k: bigint, start: bigint): bigint {
  let y = start
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const now = invariant(x, y)
    const step = div(mul(now < k ? k - now : now - k, ONE), slope(x, y))
    if (now < k) {
      if (step === 0n && invariant(x, y + 1n) > k) return y + 1n
      y = add(y, step === 0n ? 1n : step)
    } else {
      if (step === 0n && (now === k || invariant(x, sub(y, 1n)) < k)) return y
      y = sub(y, step === 0n ? 1n : step)
    }
  }
  return revert()
}
