import { MAX_UINT256 } from '../../../abi/words.ts'
import { type FormulaKind, NO_OUTPUT, type OutputBound, type PoolFormula } from '../../../maths/formula.ts'
import { orNull, revertUnless, uint } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'
import { highestRate } from './crypto-bound.ts'
import { CRYPTO_2, CRYPTO_2_OF_2022, CRYPTO_2_OF_EITHER, TRICRYPTO } from './first-invariants.ts'
import { type Invariant, type Shape, WAD } from './invariant.ts'
import { FEE_RULES, FEE_UNIT, type FeeTerms, swapFee } from './swap-fee.ts'
import { TRICRYPTO_NG } from './tricrypto-ng.ts'
import { TWOCRYPTO_2_0, TWOCRYPTO_2_1 } from './twocrypto-ng.ts'
import { TWOCRYPTO_STABLE, TWOCRYPTO_STABLE_0_1_1 } from './twocrypto-stable.ts'

/** Stored states hold a curve's position in this list, so only append. */
const CRYPTO_INVARIANTS = {
  tricrypto: TRICRYPTO,
  crypto2: CRYPTO_2,
  'crypto2-2022': CRYPTO_2_OF_2022,
  'tricrypto-ng': TRICRYPTO_NG,
  'twocrypto-2.0': TWOCRYPTO_2_0,
  'twocrypto-2.1': TWOCRYPTO_2_1,
  'twocrypto-stable': TWOCRYPTO_STABLE,
  'twocrypto-stable-0.1.1': TWOCRYPTO_STABLE_0_1_1,
  'crypto2-either': CRYPTO_2_OF_EITHER,
} as const satisfies Readonly<Record<string, Invariant>>
export type CryptoInvariantName = keyof typeof CRYPTO_INVARIANTS

const INVARIANTS: readonly Invariant[] = Object.values(CRYPTO_INVARIANTS)

/** Amounts and prices are as the pool's view functions return them. */
export interface CryptoPoolState extends Shape, FeeTerms {
  invariant: CryptoInvariantName
  /** The stored value; not used while A and gamma change. */
  D: bigint
  isRamping: boolean
  /** Prices of coins 1 and 2 in coin 0. */
  priceScales: readonly bigint[]
  /** 10 ** (18 - decimals) per coin. */
  precisions: readonly bigint[]
  balances: readonly bigint[]
}

export function cryptoValues(state: CryptoPoolState): bigint[] {
  const { invariant, rule, A, gamma, D, isRamping, midFee, outFee, feeGamma, priceScales, precisions, balances } = state
  return [
    BigInt(Object.keys(CRYPTO_INVARIANTS).indexOf(invariant)),
    BigInt(FEE_RULES.indexOf(rule)),
    isRamping ? 1n : 0n,
    A,
    gamma,
    D,
    midFee,
    outFee,
    feeGamma,
    ...priceScales,
    ...precisions,
    ...balances,
  ]
}

const FIXED_VALUES = 9

export const cryptoPools: FormulaKind = {
  name: 'curve-crypto',
  of(values) {
    const [curve = 0n, rule = 0n, ramping = 0n, A = 0n, gamma = 0n, D = 0n] = values
    const [midFee = 0n, outFee = 0n, feeGamma = 0n] = values.slice(6)
    const invariant = INVARIANTS[Number(curve)]
    const feeRule = FEE_RULES[Number(rule)]
    if (invariant === undefined || feeRule === undefined || ramping > 1n) return null
    const { coins } = invariant
    const perCoin = values.slice(FIXED_VALUES)
    if (perCoin.length !== 3 * coins - 1 || perCoin.includes(0n)) return null
    if (values.some((value) => value < 0n || value > MAX_UINT256)) return null
    const prices = [WAD, ...perCoin.slice(0, coins - 1)]
    const precisions = perCoin.slice(coins - 1, 2 * coins - 1)
    const fee: FeeTerms = { rule: feeRule, midFee, outFee, feeGamma }
    return poolOf({
      invariant,
      shape: { A, gamma },
      fee,
      storedD: ramping === 1n ? null : D,
      prices,
      precisions,
      balances: perCoin.slice(2 * coins - 1),
    })
  },
  work: 250,
  gas: 250_000,
}

interface PoolParts {
  invariant: Invariant
  shape: Shape
  fee: FeeTerms
  /** Null if D is computed from the balances. */
  storedD: bigint | null
  /** Price of each coin in coin 0. */
  prices: readonly bigint[]
  precisions: readonly bigint[]
  balances: readonly bigint[]
}

/** Balances in units of coin 0, with 18 decimals, and their D. */
interface Scaled {
  balances: readonly bigint[]
  D: bigint
}

function poolOf(parts: PoolParts): PoolFormula {
  const { invariant, balances } = parts
  let scaled: Scaled | null | undefined
  const current = () => {
    if (scaled === undefined) scaled = orNull(() => scaledBalances(parts))
    return scaled
  }
  const bounds = new Map<number, OutputBound>()
  const isPair = (from: number, to: number) => from !== to && balances[from] !== undefined && balances[to] !== undefined
  return {
    balances,
    amountOut(from, to, amountIn) {
      const pool = current()
      if (pool === null || !isPair(from, to) || amountIn <= 0n) return null
      return orNull(() => {
        const paid = amountOut(parts, invariant, pool, from, to, amountIn)
        if (invariant.orElse) revertUnless(paid === amountOut(parts, invariant.orElse, pool, from, to, amountIn))
        return paid
      })
    },
    bound(from, to) {
      const pool = current()
      if (pool === null || !isPair(from, to)) return NO_OUTPUT
      const key = from * invariant.coins + to
      const bound = bounds.get(key) ?? orNull(() => boundOf(parts, pool, from, to)) ?? NO_OUTPUT
      bounds.set(key, bound)
      return bound
    },
  }
}

function scaledBalances(parts: PoolParts): Scaled {
  const { invariant, shape, storedD } = parts
  const balances = parts.balances.map((balance, index) => scaledBalance(parts, index, balance))
  return { balances, D: storedD ?? invariant.invariantOf(shape, balances) }
}

function scaledBalance({ prices, precisions }: PoolParts, index: number, balance: bigint): bigint {
  const [price = WAD, precision = 1n] = [prices[index], precisions[index]]
  return index === 0 ? uint(balance * precision) : uint(balance * price * precision) / WAD
}

/** Returns what `exchange` pays and `get_dy` returns. */
function amountOut(
  parts: PoolParts,
  invariant: Invariant,
  pool: Scaled,
  from: number,
  to: number,
  amountIn: bigint,
): bigint {
  const { shape, fee, prices, precisions, balances: held } = parts
  const balances = [...pool.balances]
  balances[from] = scaledBalance(parts, from, uint(present(held[from]) + amountIn))
  const left = invariant.balanceOf(shape, balances, pool.D, to)
  const scaledOut = uint(present(balances[to]) - left - 1n)
  balances[to] = left
  const [price = WAD, precision = 1n] = [prices[to], precisions[to]]
  const beforeFee = (to === 0 ? scaledOut : uint(scaledOut * WAD) / price) / precision
  const paid = uint(beforeFee - uint(swapFee(fee, balances) * beforeFee) / FEE_UNIT)
  if (fee.rule === 'limited') {
    // The pool keeps an unknown part of the fee, so the limit must hold at both extremes.
    revertUnless(isLimited(balances))
    balances[to] = scaledBalance(parts, to, uint(present(held[to]) - paid))
    revertUnless(isLimited(balances))
  }
  return paid
}

/** Twocrypto 3.0.0 refuses a swap that leaves one balance a thousand times the other. */
function isLimited([first = 0n, second = 0n]: readonly bigint[]): boolean {
  const [small, large] = first < second ? [first, second] : [second, first]
  return small > 0n && large / small < 1_000n
}

function boundOf(parts: PoolParts, { balances, D }: Scaled, from: number, to: number): OutputBound {
  const { invariant, shape, fee, prices, precisions } = parts
  const rate = highestRate({ invariant, shape, fee, D, balances }, from, to)
  const unit = (index: number) => (Number(prices[index] ?? WAD) / 1e18) * Number(precisions[index] ?? 1n)
  return rate > 0 ? { rate: (rate * unit(from)) / unit(to), depth: 0 } : NO_OUTPUT
}
