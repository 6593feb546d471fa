import { orNull } from '../../maths/checked-words.ts'
import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { ONE } from './fixed-point.ts'
import {
  AMP_PRECISION,
  invariantDown,
  invariantUp,
  type StableBalances,
  stableOutput,
  stableRate,
} from './stable-math.ts'
import { isV2Fee, V2_COIN_LENGTH, type V2Coin, v2AmountOut, v2CoinOf, v2Scaled } from './v2-vault.ts'

/** StableMath._MAX_STABLE_TOKENS */
const MAX_COINS = 5
/** Far above StableMath._MAX_AMP. */
const MAX_AMPLIFICATION = 10n ** 6n * AMP_PRECISION
const NOTHING = { rate: 0, depth: 0 }

interface Place {
  coin: V2Coin
  index: number
}

/**
 * Stable pools of Balancer V2: StablePool, MetaStablePool, StablePhantomPool, ComposableStablePool. `values`:
 * 1. 0 if the invariant rounds up (2021), 1 if it rounds down;
 * 2. amplification times 1,000;
 * 3. swap fee, 18 decimals;
 * 4. per coin: total, cash, scaling with its rate (V2Coin); scaling 0 marks the pool's own shares and removed coins,
 *    which the maths skips.
 */
export const balancerV2Stable: FormulaKind = { name: 'balancer-v2-stable', of: formulaOf, work: 250, gas: 160_000 }

function formulaOf([version, amplification, fee, ...rest]: readonly bigint[]): PoolFormula | null {
  const places = readPlaces(rest)
  if ((version !== 0n && version !== 1n) || !isV2Fee(fee) || places === null || amplification === undefined) return null
  if (amplification < AMP_PRECISION || amplification > MAX_AMPLIFICATION) return null
  const counted = places.flatMap((place) => (place === null ? [] : [v2Scaled(place.coin)]))
  const pool: StableBalances = { amplification, balances: counted, isV3: false }
  let cached: bigint | null | undefined
  const invariant = () => {
    cached ??= orNull(() => (version === 0n ? invariantUp(pool) : invariantDown(pool)))
    return cached
  }
  const pairOf = (from: number, to: number) => {
    const sold = places[from]
    const bought = places[to]
    return sold && bought && from !== to ? { sold, bought, indices: { from: sold.index, to: bought.index } } : null
  }
  return {
    balances: places.map((place) => (place === null ? 0n : place.coin.cash)),
    amountOut(from, to, amountIn) {
      const pair = pairOf(from, to)
      const total = invariant()
      if (pair === null || total === null) return null
      const { sold, bought, indices } = pair
      const coins = { from: sold.coin, to: bought.coin }
      return v2AmountOut(coins, fee, amountIn, (input) => stableOutput(pool, total, { ...indices, amountIn: input }))
    },
    bound(from, to) {
      const pair = pairOf(from, to)
      const total = invariant()
      if (pair === null || total === null || total === 0n) return NOTHING
      const kept = Number(ONE - fee) / Number(ONE)
      const scales = Number(pair.sold.coin.scaling) / Number(pair.bought.coin.scaling)
      const rate = stableRate(pool, total, pair.indices) * scales * kept
      return Number.isFinite(rate) ? { rate, depth: 0 } : NOTHING
    },
  }
}

function readPlaces(values: readonly bigint[]): (Place | null)[] | null {
  const places: (Place | null)[] = []
  let index = 0
  for (let start = 0; start < values.length; start += V2_COIN_LENGTH) {
    const part = values.slice(start, start + V2_COIN_LENGTH)
    const coin = v2CoinOf(part)
    if (coin === null && part[V2_COIN_LENGTH - 1] !== 0n) return null
    places.push(coin === null ? null : { coin, index: index++ })
  }
  return index >= 2 && index <= MAX_COINS ? places : null
}
