import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { ONE } from './fixed-point.ts'
import { isV2Fee, V2_COIN_LENGTH, type V2Coin, v2AmountOut, v2CoinOf, v2Scaled } from './v2-vault.ts'
import { type WeightedCoin, weightedBound, weightedOutput } from './weighted-math.ts'

const COIN_LENGTH = V2_COIN_LENGTH + 1
/** WeightedMath._MAX_WEIGHTED_TOKENS */
const MAX_COINS = 100

type Coin = V2Coin & WeightedCoin

/**
 * Weighted pools of Balancer V2: WeightedPool, WeightedPool2Tokens. `values`:
 * 1. 1 if exponents 1, 2 and 4 are multiplied out, else 0;
 * 2. swap fee, 18 decimals;
 * 3. per coin: total, cash, scaling (V2Coin), weight with 18 decimals; weight 0 if the coin is not exchanged.
 */
export const balancerV2Weighted: FormulaKind = { name: 'balancer-v2-weighted', of: formulaOf, work: 400, gas: 120_000 }

function formulaOf([version, fee, ...rest]: readonly bigint[]): PoolFormula | null {
  const coins = readCoins(rest)
  if ((version !== 0n && version !== 1n) || !isV2Fee(fee) || coins === null) return null
  const pairOf = (fromIndex: number, toIndex: number) => {
    const from = coins[fromIndex]
    const to = coins[toIndex]
    const isPair = from !== undefined && to !== undefined && fromIndex !== toIndex
    return isPair && from.weight > 0n && to.weight > 0n ? { from, to } : null
  }
  return {
    balances: coins.map(({ cash }) => cash),
    amountOut(fromIndex, toIndex, amountIn) {
      const pair = pairOf(fromIndex, toIndex)
      if (pair === null) return null
      return v2AmountOut(pair, fee, amountIn, (input) => weightedOutput(pair.from, pair.to, input, version === 1n))
    },
    bound(fromIndex, toIndex) {
      const pair = pairOf(fromIndex, toIndex)
      if (pair === null) return { rate: 0, depth: 0 }
      const { from, to } = pair
      const kept = Number(ONE - fee) / Number(ONE)
      const balances = { from: Number(from.total), to: Number(to.total) }
      return weightedBound(balances, Number(from.weight) / Number(to.weight), kept)
    },
  }
}

function readCoins(values: readonly bigint[]): Coin[] | null {
  const count = values.length / COIN_LENGTH
  if (!Number.isInteger(count) || count < 2 || count > MAX_COINS) return null
  const coins: Coin[] = []
  for (let start = 0; start < values.length; start += COIN_LENGTH) {
    const coin = v2CoinOf(values.slice(start, start + V2_COIN_LENGTH))
    const weight = values[start + V2_COIN_LENGTH]
    if (coin === null || weight === undefined || weight < 0n || weight > ONE) return null
    coins.push({ ...coin, balance: v2Scaled(coin), weight })
  }
  return coins
}
