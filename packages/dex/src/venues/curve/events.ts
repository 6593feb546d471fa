import { EventFragment } from 'ethers'
import { topicOf } from '../../abi/contract-abi.ts'
import { uintWord } from '../../abi/words.ts'
import type { Hex, Log } from '../../chain.ts'
import type { CoinReference, ExchangeEvent } from '../../pool-event.ts'
import { exchangeEvent } from '../exchange.ts'
import { addedAndRemoved, change, type LiquidityReader, wordsAt } from '../liquidity-change.ts'
import type { EventDecoder } from '../protocol.ts'
import { touches, touchOf } from '../touches.ts'

export const CRYPTO_EXCHANGE =
  'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)'

/** Far above Curve's limit of eight coins and eight underlying coins. */
const MAX_COIN_ID = 31n

export function decodeExchange(log: Log, by: 'coin' | 'underlying'): ExchangeEvent | null {
  const { data } = log
  const refer = (id: bigint): CoinReference => (by === 'coin' ? { coin: Number(id) } : { underlying: Number(id) })
  const sold = uintWord(data, 0)
  const bought = uintWord(data, 2)
  // A negative int128 also reads as a huge word.
  if (sold > MAX_COIN_ID || bought > MAX_COIN_ID) return null
  return exchangeEvent('curve', log, {
    sold: refer(sold),
    soldAmount: uintWord(data, 1),
    bought: refer(bought),
    boughtAmount: uintWord(data, 3),
  })
}

const STABLE_LIQUIDITY = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[3] amounts, uint256[3] fees, uint256 invariant, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[4] amounts, uint256[4] fees, uint256 invariant, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[] amounts, uint256[] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[3] amounts, uint256[3] fees, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[4] amounts, uint256[4] fees, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[] amounts, uint256[] fees, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[3] amounts, uint256[3] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[4] amounts, uint256[4] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[] amounts, uint256[] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityOne(address indexed provider, uint256 shares, uint256 amount)',
  // PancakeSwap emits this event too, with the coin's index first.
  'event RemoveLiquidityOne(address indexed provider, uint256 shares, uint256 amount, uint256 supply)',
  'event RemoveLiquidityOne(address indexed provider, int128 coin, uint256 shares, uint256 amount, uint256 supply)',
]

const STABLE_PARAMETERS = [
  'event RampA(uint256 oldA, uint256 newA, uint256 begins, uint256 ends)',
  'event StopRampA(uint256 a, uint256 time)',
  'event NewFee(uint256 fee, uint256 adminFee)',
  'event NewFee(uint256 fee, uint256 adminFee, uint256 offPegMultiplier)',
  'event ApplyNewFee(uint256 fee)',
  'event ApplyNewFee(uint256 fee, uint256 offPegMultiplier)',
  'event NewParameters(uint256 a, uint256 fee, uint256 adminFee)',
]

const STABLE_FORKS = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply, uint256 adminFee)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply, uint256 adminFee)',
  'event RemoveLiquidityOne(address indexed provider, uint256 coin, uint256 shares, uint256 amount, uint256 fee, uint256 adminFee)',
  'event DonateAdminFees()',
  'event Kill()',
  'event Unkill()',
  'event Paused(address account)',
  'event Unpaused(address account)',
  'event ChangePriceDiffThreshold(uint256 threshold0, uint256 threshold1)',
  'event SetSkipPriceDiff(bool skips)',
  'event ChangeOracle(address oracle)',
]

/** First generation, pools of two and three coins. Removals in one coin share StableSwap's topics. */
const CRYPTO_FIRST = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256 fee, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[3] amounts, uint256 fee, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[2] amounts, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[3] amounts, uint256 supply)',
  'event ClaimAdminFee(address indexed admin, uint256 shares)',
  // Twocrypto 2.0.0 emits this event too, with the fees first.
  'event NewParameters(uint256 adminFee, uint256 midFee, uint256 outFee, uint256 feeGamma, uint256 allowedExtraProfit, uint256 adjustmentStep, uint256 halfTime)',
]

const CRYPTO_NG = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256 fee, uint256 supply, uint256 priceScale)',
  'event AddLiquidity(address indexed provider, uint256[3] amounts, uint256 fee, uint256 supply, uint256 priceScale)',
  'event ClaimAdminFee(address indexed admin, uint256[2] amounts)',
  'event ClaimAdminFee(address indexed admin, uint256[3] amounts)',
  'event NewParameters(uint256 midFee, uint256 outFee, uint256 feeGamma, uint256 allowedExtraProfit, uint256 adjustmentStep, uint256 averagingTime)',
]

const CRYPTO_DONATED = [
  'event AddLiquidity(address indexed provider, address indexed receiver, uint256[2] amounts, uint256 fee, uint256 supply, uint256 priceScale)',
  'event Donation(address indexed donor, uint256[2] amounts)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256 shares, uint256[2] amounts, uint256 fee, uint256 priceScale)',
  'event SetPeriphery(address views, address math)',
  'event SetPolicyContract(address policy)',
]

const CRYPTO_RAMPS = [
  'event RampAgamma(uint256 initialA, uint256 futureA, uint256 initialGamma, uint256 futureGamma, uint256 begins, uint256 ends)',
  'event StopRampA(uint256 a, uint256 gamma, uint256 time)',
]

const CHANGES = [
  ...STABLE_LIQUIDITY,
  ...STABLE_PARAMETERS,
  ...STABLE_FORKS,
  ...CRYPTO_FIRST,
  ...CRYPTO_NG,
  ...CRYPTO_DONATED,
  ...CRYPTO_RAMPS,
]

export const CURVE_TOUCHES: Readonly<Record<string, EventDecoder>> = {
  ...touches('curve', ...CHANGES),
  ...Object.fromEntries(
    CHANGES.filter((event) => /(Add|Remove)Liquidity/.test(event)).map((event) => [event, providedBy(event)]),
  ),
}

/**
 * Returns a decoder for what providers added or removed. Amounts are unknown where an event does not name the coin of
 * its amount.
 */
function providedBy(event: string): EventDecoder {
  const isAdded = event.includes('AddLiquidity')
  const places = wordsOf(event)
  const [list, amount] = [places.get('amounts'), places.get('amount')]
  // Twocrypto emits the fork's event with the coin second.
  const coin = event.includes('int128 coin') ? places.get('coin') : undefined
  const amountsOf = ({ data }: Log): readonly bigint[] | null => {
    if (list?.length === null) return wordsAt(data, list.place)
    if (list !== undefined) return Array.from({ length: list.length }, (_, index) => uintWord(data, list.place + index))
    const index = coin === undefined ? MAX_COIN_ID + 1n : uintWord(data, coin.place)
    if (index > MAX_COIN_ID || amount === undefined) return null
    return [...Array.from({ length: Number(index) }, () => 0n), uintWord(data, amount.place)]
  }
  return (log) => ({ ...touchOf('curve', log), provided: { isAdded, amounts: amountsOf(log) } })
}

/** Returns where the data of an event has its parameters, in words, and their lengths: null for a dynamic array. */
function wordsOf(event: string): Map<string, { place: number; length: number | null }> {
  const places = new Map<string, { place: number; length: number | null }>()
  let place = 0
  for (const { name, indexed, arrayLength } of EventFragment.from(event).inputs) {
    if (indexed === true) continue
    places.set(name, { place, length: arrayLength === -1 ? null : (arrayLength ?? 1) })
    place += arrayLength === -1 ? 1 : (arrayLength ?? 1)
  }
  return places
}

/** Possible coin counts; '' stands for a dynamic array. */
const COIN_COUNTS = [2, 3, 4, 5, 6, 7, 8, '']

const REMOVED = [
  'event RemoveLiquidityOne(address provider, uint256 shares, uint256 amount)',
  'event RemoveLiquidityOne(address provider, uint256 shares, uint256 amount, uint256 supply)',
  'event RemoveLiquidityOne(address provider, int128 coin, uint256 shares, uint256 amount, uint256 supply)',
  'event RemoveLiquidityOne(address provider, uint256 shares, uint256 coin, uint256 amount, uint256 fee, uint256 price_scale)',
  'event RemoveLiquidityImbalance(address provider, uint256 shares, uint256[2] amounts, uint256 fee, uint256 price_scale)',
]

export const CURVE_LIQUIDITY: readonly (readonly [Hex, LiquidityReader])[] = [
  ...COIN_COUNTS.flatMap((count) => [
    ...addedAndRemoved(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 invariant, uint256 supply)`,
      `event RemoveLiquidity(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 supply)`,
    ),
    ...addedAndRemoved(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256 fee, uint256 supply)`,
      `event RemoveLiquidity(address provider, uint256[${count}] amounts, uint256 supply)`,
    ),
    ...addedAndRemoved(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256 fee, uint256 supply, uint256 price_scale)`,
      `event RemoveLiquidityImbalance(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 invariant, uint256 supply)`,
    ),
  ]),
  ...REMOVED.map((event) => [topicOf(event), change(false)] as const),
]
