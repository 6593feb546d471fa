import { coinsIn, type FormulaKind, NO_OUTPUT, type PoolFormula } from '../../maths/formula.ts'
import { orNull, revert } from '../../maths/integers.ts'
import { checked, divDown, mulDown, mulUp, ONE } from './fixed-point.ts'
import {
  invariantDown,
  isAmplification,
  MAX_STABLE_COINS,
  type StableBalances,
  stableOutput,
  stableRate,
} from './stable-math.ts'
import { weightedBound, weightedOutput, weightedPair } from './weighted-math.ts'

export interface V3Coin {
  /** In base units. */
  raw: bigint
  /** The balance that the pool's maths uses: 18 decimals, rate applied, yield fees deducted, rounded down. */
  live: bigint
  /** 10 ** (18 - decimals) */
  scaling: bigint
  /** With 18 decimals. */
  rate: bigint
}

const COIN_LENGTH = 4

/** PackedTokenBalance: both balances fit 128 bits. */
const MAX_BALANCE = 2n ** 128n - 1n

export function v3CoinOf([raw, live, scaling, rate]: readonly bigint[]): V3Coin | null {
  if (raw === undefined || live === undefined || scaling === undefined || rate === undefined) return null
  if (raw < 0n || raw > MAX_BALANCE || live < 0n || live > MAX_BALANCE) return null
  if (scaling <= 0n || scaling > ONE || rate <= 0n || rate > MAX_BALANCE) return null
  return { raw, live, scaling, rate }
}

/** A pool's fee and the vault's minimum swap, both with 18 decimals. */
interface V3Terms {
  fee: bigint
  minTrade: bigint
}

export function v3TermsOf([fee, minTrade]: readonly bigint[]): V3Terms | null {
  if (fee === undefined || fee < 0n || fee >= ONE || minTrade === undefined || minTrade < 0n) return null
  return { fee, minTrade }
}

/**
 * Returns the output, or null if the vault reverts: Vault.swap of Balancer V3, exact input, without hooks.
 * @param outputOf the pool's onSwap, with 18 decimals
 */
export function v3AmountOut(
  { from, to }: { from: V3Coin; to: V3Coin },
  { fee, minTrade }: V3Terms,
  amountIn: bigint,
  outputOf: (amountIn: bigint) => bigint,
): bigint | null {
  if (amountIn <= 0n) return null
  return orNull(() => {
    const given = scaled(amountIn, from)
    const input = given - mulUp(given, fee)
    if (input < minTrade) revert()
    const output = outputOf(input)
    if (output < minTrade) revert()
    const amountOut = divDown(output, checked(to.scaling * rateUp(to.rate)))
    // The vault first deducts protocol fees, so it accepts slightly larger inputs than are quoted.
    const after = from.raw + amountIn
    if (amountOut > to.raw || after > MAX_BALANCE || scaled(after, from) > MAX_BALANCE) revert()
    return amountOut
  })
}

/** ScalingHelpers.toScaled18ApplyRateRoundDown */
const scaled = (amount: bigint, { scaling, rate }: V3Coin): bigint => mulDown(checked(amount * scaling), rate)

/** ScalingHelpers.computeRateRoundUp */
const rateUp = (rate: bigint): bigint => (rate % ONE === 0n ? rate : rate + 1n)

/** Returns approximately how many 18-decimal units one base unit is worth. */
const scaleOf = ({ scaling, rate }: V3Coin): number => (Number(scaling) * Number(rate)) / Number(ONE)

const keptOf = ({ fee }: V3Terms): number => Number(ONE - fee) / Number(ONE)

const WEIGHTED_LENGTH = COIN_LENGTH + 2
/** The vault's token limit per pool. */
const MAX_WEIGHTED_COINS = 8

interface WeightedCoin extends V3Coin {
  /** 18 decimals; 0 if the coin is not exchanged. */
  weight: bigint
  /** Minimum balance, 18 decimals. */
  minBalance: bigint
}

/**
 * Weighted pools of Balancer V3: WeightedPool.onSwap. `values`:
 * 1. 1 if the pool has minimum balances and rounds the input balance up (2026), else 0;
 * 2. static swap fee, 18 decimals;
 * 3. minimum swap, 18 decimals;
 * 4. per coin: raw, live, scaling, rate (V3Coin), weight, minimum balance.
 */
export const balancerV3Weighted: FormulaKind = {
  name: 'balancer-v3-weighted',
  of: weightedFormula,
  work: 400,
  gas: 150_000,
}

function weightedFormula([version, fee, minTrade, ...rest]: readonly bigint[]): PoolFormula | null {
  const terms = v3TermsOf(fee === undefined || minTrade === undefined ? [] : [fee, minTrade])
  const coins = coinsIn(rest, { length: WEIGHTED_LENGTH, max: MAX_WEIGHTED_COINS }, weightedCoinOf)
  if ((version !== 0n && version !== 1n) || terms === null || coins === null) return null
  return {
    balances: coins.map(({ raw }) => raw),
    amountOut(fromIndex, toIndex, amountIn) {
      const pair = weightedPair(coins, fromIndex, toIndex)
      if (pair === null) return null
      const { from, to } = pair
      const sold = { balance: from.live + version, weight: from.weight }
      const bought = { balance: to.live, weight: to.weight }
      return v3AmountOut(pair, terms, amountIn, (input) => {
        const output = weightedOutput(sold, bought, input, true)
        if (version === 1n && (sold.balance < from.minBalance || to.live - output < to.minBalance)) revert()
        return output
      })
    },
    bound(fromIndex, toIndex) {
      const pair = weightedPair(coins, fromIndex, toIndex)
      if (pair === null) return NO_OUTPUT
      const { from, to } = pair
      const balances = { from: Number(from.live) / scaleOf(from), to: Number(to.live) / scaleOf(to) }
      return weightedBound(balances, Number(from.weight) / Number(to.weight), keptOf(terms))
    },
  }
}

function weightedCoinOf(values: readonly bigint[]): WeightedCoin | null {
  const coin = v3CoinOf(values)
  const [weight, minBalance] = values.slice(COIN_LENGTH)
  if (coin === null || weight === undefined || weight < 0n || weight > ONE) return null
  return minBalance === undefined || minBalance < 0n ? null : { ...coin, weight, minBalance }
}

/** StableMath.MAX_IMBALANCE_RATIO */
const MAX_IMBALANCE = 10_000n

/**
 * Stable pools of Balancer V3: StablePool.onSwap. `values`:
 * 1. 1 if the pool limits the ratio of its largest to its smallest balance (2026), else 0;
 * 2. amplification times 1,000;
 * 3. static swap fee, 18 decimals;
 * 4. minimum swap, 18 decimals;
 * 5. per coin: raw, live, scaling, rate (V3Coin).
 */
export const balancerV3Stable: FormulaKind = { name: 'balancer-v3-stable', of: stableFormula, work: 250, gas: 180_000 }

function stableFormula([version, amplification, fee, minTrade, ...rest]: readonly bigint[]): PoolFormula | null {
  const terms = v3TermsOf(fee === undefined || minTrade === undefined ? [] : [fee, minTrade])
  const coins = coinsIn(rest, { length: COIN_LENGTH, max: MAX_STABLE_COINS }, v3CoinOf)
  if ((version !== 0n && version !== 1n) || terms === null || coins === null || !isAmplification(amplification))
    return null
  const pool: StableBalances = { amplification, balances: coins.map(({ live }) => live), isV3: true }
  let cached: bigint | null | undefined
  const invariant = () => {
    cached ??= orNull(() => invariantDown(pool))
    return cached
  }
  const pairOf = (fromIndex: number, toIndex: number) => {
    const from = coins[fromIndex]
    const to = coins[toIndex]
    return from !== undefined && to !== undefined && fromIndex !== toIndex ? { from, to } : null
  }
  return {
    balances: coins.map(({ raw }) => raw),
    amountOut(from, to, amountIn) {
      const pair = pairOf(from, to)
      const total = invariant()
      if (pair === null || total === null) return null
      return v3AmountOut(pair, terms, amountIn, (input) => {
        const output = stableOutput(pool, total, { from, to, amountIn: input })
        if (version === 1n) requireBalanced([...pool.balances, pair.from.live + input, pair.to.live - output])
        return output
      })
    },
    bound(from, to) {
      const pair = pairOf(from, to)
      const total = invariant()
      if (pair === null || total === null || total === 0n) return NO_OUTPUT
      const rate = ((stableRate(pool, total, { from, to }) * scaleOf(pair.from)) / scaleOf(pair.to)) * keptOf(terms)
      return Number.isFinite(rate) ? { rate, depth: 0 } : NO_OUTPUT
    },
  }
}

/** StableMath.ensureBalancesWithinMaxImbalanceRange, for the balances before a swap and the two that it changes. */
function requireBalanced(balances: readonly bigint[]): void {
  const [first = 0n, ...others] = balances
  let lowest = first
  let highest = first
  for (const balance of others) {
    if (balance < lowest) lowest = balance
    if (balance > highest) highest = balance
  }
  if (lowest <= 0n || highest / lowest >= MAX_IMBALANCE) revert()
}
