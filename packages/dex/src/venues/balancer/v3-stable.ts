import { orNull, revert } from '../../maths/checked-words.ts'
import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { AMP_PRECISION, invariantDown, type StableBalances, stableOutput, stableRate } from './stable-math.ts'
import { V3_COIN_LENGTH, type V3Coin, v3AmountOut, v3CoinOf, v3Kept, v3Scale, v3TermsOf } from './v3-vault.ts'

/** StableMath.MAX_STABLE_TOKENS */
const MAX_COINS = 5
/** Far above StableMath.MAX_AMP. */
const MAX_AMPLIFICATION = 10n ** 6n * AMP_PRECISION
/** StableMath.MAX_IMBALANCE_RATIO */
const MAX_IMBALANCE = 10_000n
const NOTHING = { rate: 0, depth: 0 }

/**
 * Stable pools of Balancer V3: StablePool.onSwap. `values`:
 * 1. 1 if the pool limits the ratio of its largest to its smallest balance (2026), else 0;
 * 2. amplification times 1,000;
 * 3. static swap fee, 18 decimals;
 * 4. minimum swap, 18 decimals;
 * 5. per coin: raw, live, scaling, rate (V3Coin).
 */
export const balancerV3Stable: FormulaKind = { name: 'balancer-v3-stable', of: formulaOf, work: 250, gas: 180_000 }

function formulaOf([version, amplification, fee, minTrade, ...rest]: readonly bigint[]): PoolFormula | null {
  const terms = v3TermsOf(fee === undefined || minTrade === undefined ? [] : [fee, minTrade])
  const coins = readCoins(rest)
  if ((version !== 0n && version !== 1n) || terms === null || coins === null || amplification === undefined) return null
  if (amplification < AMP_PRECISION || amplification > MAX_AMPLIFICATION) return null
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
      if (pair === null || total === null || total === 0n) return NOTHING
      const rate = ((stableRate(pool, total, { from, to }) * v3Scale(pair.from)) / v3Scale(pair.to)) * v3Kept(terms)
      return Number.isFinite(rate) ? { rate, depth: 0 } : NOTHING
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

function readCoins(values: readonly bigint[]): V3Coin[] | null {
  const count = values.length / V3_COIN_LENGTH
  if (!Number.isInteger(count) || count < 2 || count > MAX_COINS) return null
  const coins: V3Coin[] = []
  for (let start = 0; start < values.length; start += V3_COIN_LENGTH) {
    const coin = v3CoinOf(values.slice(start, start + V3_COIN_LENGTH))
    if (coin === null) return null
    coins.push(coin)
  }
  return coins
}
