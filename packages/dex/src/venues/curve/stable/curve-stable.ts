import { MAX_UINT256 } from '../../../abi/words.ts'
import type { FormulaKind, OutputBound, PoolFormula } from '../../../maths/formula.ts'
import type { PoolAddress } from '../../../pool.ts'
import { present } from '../../../present.ts'
import {
  type ProductRounding,
  type StableInvariant,
  stableD,
  stablePricesFit,
  stableRate,
  stableY,
} from './stable-invariant.ts'

export interface StablePool {
  /** A times `precision`, which is 1 in PancakeSwap and in pools older than metapools, else 100. */
  amplification: bigint
  precision: bigint
  rounding: ProductRounding
  /** Whether the contract keeps one unit of each output "in case there were some rounding errors". */
  keepsOne: boolean
  /** The contract averages prices, and reverts a swap if it cannot compute or store the next ones. */
  prices: PriceLimit
  /**
   * When the fee is taken: `before` conversion to base units, as in `exchange`, or `after` it, as in many contracts'
   * `get_dy`.
   */
  takesFee: 'before' | 'after'
  /** In units of 10^-10. */
  fee: bigint
  /** How much the fee grows while the coins are off peg, in units of 10^-10; 0 if not at all. */
  offPegMultiplier: bigint
  basis: PoolAddress | null
  /** Base units of each coin, without the administrator's share. */
  balances: readonly bigint[]
  /** Factors from base units to the common unit, with 18 decimals. */
  rates: readonly bigint[]
}

/** `capped`: the contract cuts a price before it stores it (StableSwap NG). `whole`: a price must fit half a word. */
type PriceLimit = 'none' | 'capped' | 'whole'

const PRICE_LIMITS: readonly PriceLimit[] = ['none', 'capped', 'whole']
const ROUNDINGS: readonly ProductRounding[] = ['each', 'each-plus-one', 'last']
const FEE_UNITS = 10n ** 10n
const RATE_UNITS = 10n ** 18n
const MAX_COINS = 8
const FIELDS = 10
/** Newer contracts store D in half a word. */
const MAX_VALUE = 2n ** 128n
/** Larger than the contract's rounding, except for dust. */
const SLACK = 1 + 1e-8

export function stableValues(pool: StablePool): bigint[] {
  return [
    BigInt(pool.balances.length),
    pool.amplification,
    pool.precision,
    BigInt(ROUNDINGS.indexOf(pool.rounding)),
    pool.keepsOne ? 1n : 0n,
    BigInt(PRICE_LIMITS.indexOf(pool.prices)),
    pool.takesFee === 'after' ? 1n : 0n,
    pool.fee,
    pool.offPegMultiplier,
    pool.basis === null ? 0n : BigInt(pool.basis),
    ...pool.balances,
    ...pool.rates,
  ]
}

export function stablePoolOf(values: readonly bigint[]): { pool: StablePool; rest: readonly bigint[] } | null {
  const [count, amplification, precision, rounded, kept, limited, takenAfter, fee, offPegMultiplier, basis] = values
  if (count === undefined || count < 2n || count > MAX_COINS || values.some((value) => value < 0n)) return null
  const coins = Number(count)
  const rates = values.slice(FIELDS + coins, FIELDS + 2 * coins)
  const rounding = ROUNDINGS[Number(rounded)]
  const prices = PRICE_LIMITS[Number(limited)]
  if (!amplification || !precision || fee === undefined || rates.length < coins) return null
  if (
    rounding === undefined ||
    prices === undefined ||
    kept === undefined ||
    takenAfter === undefined ||
    offPegMultiplier === undefined ||
    basis === undefined
  ) {
    return null
  }
  if (amplification < precision || amplification >= MAX_VALUE || precision > 100n || fee >= FEE_UNITS) return null
  if (offPegMultiplier * fee >= FEE_UNITS * FEE_UNITS || basis >> 160n !== 0n || rates.includes(0n)) return null
  const balances = values.slice(FIELDS, FIELDS + coins)
  return {
    pool: {
      amplification,
      precision,
      rounding,
      keepsOne: kept !== 0n,
      prices,
      takesFee: takenAfter === 0n ? 'before' : 'after',
      fee,
      offPegMultiplier,
      basis: basis === 0n ? null : `0x${basis.toString(16).padStart(40, '0')}`,
      balances,
      rates,
    },
    rest: values.slice(FIELDS + 2 * coins),
  }
}

/**
 * Computes what `exchange` pays, for Curve's plain, lending, meta and factory pools (curve-contract `contracts/pools`,
 * curve-factory `contracts/implementations`), StableSwap NG (stableswap-ng `CurveStableSwapNG.vy`,
 * `CurveStableSwapMetaNG.vy`) and PancakeSwap (pancake-smart-contracts `PancakeStableSwapTwoPool.sol`).
 */
export class StableFormula implements PoolFormula {
  readonly pool: StablePool
  readonly balances: readonly bigint[]
  readonly basis?: PoolAddress
  readonly #invariant: StableInvariant
  readonly #sizes: readonly bigint[]
  readonly #bounds = new Map<number, OutputBound>()
  #d: bigint | null | undefined

  constructor(pool: StablePool, sizes: readonly bigint[]) {
    this.pool = pool
    this.balances = pool.balances
    if (pool.basis !== null) this.basis = pool.basis
    this.#invariant = pool
    this.#sizes = sizes
  }

  static of(pool: StablePool): StableFormula | null {
    const sizes = pool.balances.map((balance, coin) => (balance * present(pool.rates[coin])) / RATE_UNITS)
    const total = sizes.reduce((sum, size) => sum + size, 0n)
    return sizes.includes(0n) || total >= MAX_VALUE ? null : new StableFormula(pool, sizes)
  }

  amountOut(from: number, to: number, amountIn: bigint): bigint | null {
    return this.swap(from, to, amountIn)?.amountOut ?? null
  }

  /** Returns the output, and the fee in the common unit; null if the contract reverts. */
  swap(from: number, to: number, amountIn: bigint): { amountOut: bigint; feeSize: bigint } | null {
    const { pool } = this
    const fromSize = this.#sizes[from]
    const toSize = this.#sizes[to]
    const fromRate = pool.rates[from]
    const toRate = pool.rates[to]
    const d = this.#invariantSize()
    if (fromSize === undefined || toSize === undefined || fromRate === undefined || toRate === undefined) return null
    if (from === to || amountIn <= 0n || amountIn * fromRate > MAX_UINT256 || d === null) return null
    const x = fromSize + (amountIn * fromRate) / RATE_UNITS
    const y = stableY(this.#invariant, this.#sizes, d, from, to, x)
    if (y === null || !this.#arePricesKnown(from, to, x, y, d)) return null
    const paid = toSize - y - (pool.keepsOne ? 1n : 0n)
    const fee = paid < 0n ? null : this.#feeOf((fromSize + x) / 2n, (toSize + y) / 2n)
    if (fee === null) return null
    const feeSize = (paid * fee) / FEE_UNITS
    if (pool.takesFee === 'before') return { amountOut: ((paid - feeSize) * RATE_UNITS) / toRate, feeSize }
    const amount = (paid * RATE_UNITS) / toRate
    return { amountOut: amount - (amount * fee) / FEE_UNITS, feeSize }
  }

  /** The contract's rounding may exceed this bound by a few units of 10^-18. */
  bound(from: number, to: number): OutputBound {
    const key = from * MAX_COINS + to
    const cached = this.#bounds.get(key)
    if (cached !== undefined) return cached
    const bound = { rate: this.#marginalRate(from, to), depth: 0 }
    this.#bounds.set(key, bound)
    return bound
  }

  /** Uses the lowest fee, because an off-peg fee may fall during a swap. */
  #marginalRate(from: number, to: number): number {
    const { rates, fee } = this.pool
    const fromRate = rates[from]
    const toRate = rates[to]
    const d = this.#invariantSize()
    if (fromRate === undefined || toRate === undefined || from === to || !d) return 0
    const rate = stableRate(this.#invariant, this.#sizes, d, from, to)
    const kept = 1 - Number(fee) / Number(FEE_UNITS)
    const bound = rate * (Number(fromRate) / Number(toRate)) * kept * SLACK
    return Number.isFinite(bound) ? bound : 0
  }

  #arePricesKnown(from: number, to: number, x: bigint, y: bigint, d: bigint): boolean {
    const { prices } = this.pool
    if (prices === 'none') return true
    const after = this.#sizes.map((size, coin) => (coin === from ? x : coin === to ? y : size))
    return stablePricesFit(this.#invariant, after, d, prices === 'whole' ? MAX_VALUE : null)
  }

  #invariantSize(): bigint | null {
    if (this.#d === undefined) this.#d = stableD(this.#invariant, this.#sizes)
    return this.#d
  }

  /** Returns the fee for the average balances of the two coins (`_dynamic_fee`); null on overflow. */
  #feeOf(fromSize: bigint, toSize: bigint): bigint | null {
    const { fee, offPegMultiplier } = this.pool
    if (offPegMultiplier <= FEE_UNITS) return fee
    const square = (fromSize + toSize) ** 2n
    const product = (offPegMultiplier - FEE_UNITS) * 4n * fromSize * toSize
    if (square > MAX_UINT256 || product > MAX_UINT256 || square === 0n) return null
    return (offPegMultiplier * fee) / (product / square + FEE_UNITS)
  }
}

export const CURVE_STABLE: FormulaKind = {
  name: 'curve-stable',
  of(values) {
    const parsed = stablePoolOf(values)
    return parsed === null || parsed.rest.length > 0 ? null : StableFormula.of(parsed.pool)
  },
  work: 100,
  gas: 130_000,
}
