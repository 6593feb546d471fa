import { revert } from '../../maths/checked-words.ts'
import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { ONE } from './fixed-point.ts'
import { V3_COIN_LENGTH, type V3Coin, v3AmountOut, v3CoinOf, v3Kept, v3Scale, v3TermsOf } from './v3-vault.ts'
import { weightedBound, weightedOutput } from './weighted-math.ts'

const COIN_LENGTH = V3_COIN_LENGTH + 2
/** The vault's token limit per pool. */
const MAX_COINS = 8

interface Coin extends V3Coin {
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
export const balancerV3Weighted: FormulaKind = { name: 'balancer-v3-weighted', of: formulaOf, work: 400, gas: 150_000 }

function formulaOf([version, fee, minTrade, ...rest]: readonly bigint[]): PoolFormula | null {
  const terms = v3TermsOf(fee === undefined || minTrade === undefined ? [] : [fee, minTrade])
  const coins = readCoins(rest)
  if ((version !== 0n && version !== 1n) || terms === null || coins === null) return null
  const pairOf = (fromIndex: number, toIndex: number) => {
    const from = coins[fromIndex]
    const to = coins[toIndex]
    const isPair = from !== undefined && to !== undefined && fromIndex !== toIndex
    return isPair && from.weight > 0n && to.weight > 0n ? { from, to } : null
  }
  return {
    balances: coins.map(({ raw }) => raw),
    amountOut(fromIndex, toIndex, amountIn) {
      const pair = pairOf(fromIndex, toIndex)
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
      const pair = pairOf(fromIndex, toIndex)
      if (pair === null) return { rate: 0, depth: 0 }
      const { from, to } = pair
      const balances = { from: Number(from.live) / v3Scale(from), to: Number(to.live) / v3Scale(to) }
      return weightedBound(balances, Number(from.weight) / Number(to.weight), v3Kept(terms))
    },
  }
}

function readCoins(values: readonly bigint[]): Coin[] | null {
  const count = values.length / COIN_LENGTH
  if (!Number.isInteger(count) || count < 2 || count > MAX_COINS) return null
  const coins: Coin[] = []
  for (let start = 0; start < values.length; start += COIN_LENGTH) {
    const coin = v3CoinOf(values.slice(start, start + V3_COIN_LENGTH))
    const [weight, minBalance] = values.slice(start + V3_COIN_LENGTH)
    if (coin === null || weight === undefined || weight < 0n || weight > ONE) return null
    if (minBalance === undefined || minBalance < 0n) return null
    coins.push({ ...coin, weight, minBalance })
  }
  return coins
}
