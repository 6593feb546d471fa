import { coinsIn, type FormulaKind, NO_OUTPUT, type PoolFormula } from '../../maths/formula.ts'
import { orNull, revert } from '../../maths/integers.ts'
import { divDown, mulDown, mulUp, ONE } from './fixed-point.ts'
import {
  invariantDown,
  invariantUp,
  isAmplification,
  MAX_STABLE_COINS,
  type StableBalances,
  stableOutput,
  stableRate,
} from './stable-math.ts'
import { type WeightedCoin, weightedBound, weightedOutput, weightedPair } from './weighted-math.ts'

interface Coin {
  /** Cash plus the amount that an asset manager holds. */
  total: bigint
  /** The amount that the vault can pay. */
  cash: bigint
  /** Factor from base units to 18 decimals times the coin's rate, itself with 18 decimals. */
  scaling: bigint
}

/** BalanceAllocation.toBalance: totals fit 112 bits. */
const MAX_BALANCE = 2n ** 112n
/** Far above any scale or rate; its product with 112-bit amounts fits 256 bits. */
const MAX_SCALING = 2n ** 136n

const COIN_LENGTH = 3

function coinOf([total, cash, scaling]: readonly bigint[]): Coin | null {
  if (total === undefined || cash === undefined || scaling === undefined) return null
  if (cash < 0n || total < cash || total >= MAX_BALANCE || scaling <= 0n || scaling >= MAX_SCALING) return null
  return { total, cash, scaling }
}

const isFee = (fee: bigint | undefined): fee is bigint => fee !== undefined && fee >= 0n && fee < ONE

/**
 * Returns the output, or null if the vault reverts: BaseMinimalSwapInfoPool.onSwap or BaseGeneralPool.onSwap, then
 * Swaps._swapWithPool.
 * @param outputOf the pool's maths, with 18 decimals
 */
function amountOutOf(
  { from, to }: { from: Coin; to: Coin },
  fee: bigint,
  amountIn: bigint,
  outputOf: (amountIn: bigint) => bigint,
): bigint | null {
  if (amountIn <= 0n || from.total + amountIn >= MAX_BALANCE) return null
  return orNull(() => {
    const input = amountIn - mulUp(amountIn, fee)
    const amountOut = divDown(outputOf(mulDown(input, from.scaling)), to.scaling)
    if (amountOut > to.cash) revert()
    return amountOut
  })
}

/** Returns a coin's total with 18 decimals. */
const scaledTotal = ({ total, scaling }: Coin): bigint => mulDown(total, scaling)

const keptOf = (fee: bigint): number => Number(ONE - fee) / Number(ONE)

const WEIGHTED_LENGTH = COIN_LENGTH + 1
/** WeightedMath._MAX_WEIGHTED_TOKENS */
const MAX_WEIGHTED_COINS = 100

type CoinWithWeight = Coin & WeightedCoin

/**
 * Weighted pools of Balancer V2: WeightedPool, WeightedPool2Tokens. `values`:
 * 1. 1 if exponents 1, 2 and 4 are multiplied out, else 0;
 * 2. swap fee, 18 decimals;
 * 3. per coin: total, cash, scaling (Coin), weight with 18 decimals; weight 0 if the coin is not exchanged.
 */
export const balancerV2Weighted: FormulaKind = {
  name: 'balancer-v2-weighted',
  of: weightedFormula,
  work: 400,
  gas: 120_000,
}

function weightedFormula([version, fee, ...rest]: readonly bigint[]): PoolFormula | null {
  const coins = coinsIn(rest, { length: WEIGHTED_LENGTH, max: MAX_WEIGHTED_COINS }, weightedCoinOf)
  if ((version !== 0n && version !== 1n) || !isFee(fee) || coins === null) return null
  return {
    balances: coins.map(({ cash }) => cash),
    amountOut(from, to, amountIn) {
      const pair = weightedPair(coins, from, to)
      if (pair === null) return null
      return amountOutOf(pair, fee, amountIn, (input) => weightedOutput(pair.from, pair.to, input, version === 1n))
    },
    bound(from, to) {
      const pair = weightedPair(coins, from, to)
      if (pair === null) return NO_OUTPUT
      const balances = { from: Number(pair.from.total), to: Number(pair.to.total) }
      return weightedBound(balances, Number(pair.from.weight) / Number(pair.to.weight), keptOf(fee))
    },
  }
}

function weightedCoinOf(values: readonly bigint[]): CoinWithWeight | null {
  const coin = coinOf(values)
  const weight = values[COIN_LENGTH]
  if (coin === null || weight === undefined || weight < 0n || weight > ONE) return null
  return { ...coin, balance: scaledTotal(coin), weight }
}

interface Place {
  coin: Coin
  index: number
}

/**
 * Stable pools of Balancer V2: StablePool, MetaStablePool, StablePhantomPool, ComposableStablePool. `values`:
 * 1. 0 if the invariant rounds up (2021), 1 if it rounds down;
 * 2. amplification times 1,000;
 * 3. swap fee, 18 decimals;
 * 4. per coin: total, cash, scaling with its rate (Coin); scaling 0 marks the pool's own shares and removed coins,
 *    which the maths skips.
 */
export const balancerV2Stable: FormulaKind = { name: 'balancer-v2-stable', of: stableFormula, work: 250, gas: 160_000 }

function stableFormula([version, amplification, fee, ...rest]: readonly bigint[]): PoolFormula | null {
  const places = readPlaces(rest)
  if ((version !== 0n && version !== 1n) || !isFee(fee) || places === null || !isAmplification(amplification))
    return null
  const counted = places.flatMap((place) => (place === null ? [] : [scaledTotal(place.coin)]))
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
      return amountOutOf(coins, fee, amountIn, (input) => stableOutput(pool, total, { ...indices, amountIn: input }))
    },
    bound(from, to) {
      const pair = pairOf(from, to)
      const total = invariant()
      if (pair === null || total === null || total === 0n) return NO_OUTPUT
      const scales = Number(pair.sold.coin.scaling) / Number(pair.bought.coin.scaling)
      const rate = stableRate(pool, total, pair.indices) * scales * keptOf(fee)
      return Number.isFinite(rate) ? { rate, depth: 0 } : NO_OUTPUT
    },
  }
}

function readPlaces(values: readonly bigint[]): (Place | null)[] | null {
  const places: (Place | null)[] = []
  let index = 0
  for (let start = 0; start < values.length; start += COIN_LENGTH) {
    const part = values.slice(start, start + COIN_LENGTH)
    const coin = coinOf(part)
    if (coin === null && part[COIN_LENGTH - 1] !== 0n) return null
    places.push(coin === null ? null : { coin, index: index++ })
  }
  return index >= 2 && index <= MAX_STABLE_COINS ? places : null
}
