import type { DevnetChain } from '@dexfeed/devnet'
import { DAY_S } from '@dexfeed/dex'
import type { RecordedBlock } from './chain-record.ts'
import { type LoggedState, parseState, type VerifiedPool } from './pool-events.ts'
import type { TokenFacts } from './tokens.ts'

/** USD of one whole token, times 1e18. */
export const ONE_USD = 10n ** 18n
const LOOK_BACK_S = DAY_S
const Q96 = 2n ** 96n
/** A stablecoin counts as 1 USD while its rate is between these. */
const [LOWEST_PEG, HIGHEST_PEG] = [(97n * ONE_USD) / 100n, (103n * ONE_USD) / 100n]

export interface ReferencePrices {
  /** Of a stablecoin, the wrapped coin or another anchor as of the end of the block before; null: unknown. */
  usd(token: string, block: { number: number; timestamp: number }): bigint | null
}

export interface ReferenceOptions {
  deployment: Pick<DevnetChain['deployment'], 'stablecoins'>
  tokens: ReadonlyMap<string, TokenFacts>
  pools: ReadonlyMap<string, VerifiedPool>
  blocks: readonly RecordedBlock[]
}

/** What a pool said last in some block: how much there is of both tokens. V3 kinds: virtual amounts. */
interface PoolMoment {
  block: number
  timestamp: number
  amount0: bigint
  amount1: bigint
  /** V3 kinds: the square root of the price is more exact than the amounts. */
  sqrtPriceX96: bigint | null
}

type At = { number: number; timestamp: number }

/**
 * Prices of the anchors from the logs of their pools with stablecoins (docs/usd.md). No pool of the local chains
 * differs from another by a factor of two, so that guard does not come up here.
 */
export function referencePrices(options: ReferenceOptions): ReferencePrices {
  const { deployment, tokens, pools, blocks } = options
  const moments = momentsOf(pools, blocks)
  const unit = (token: string) => 10n ** BigInt(tokens.get(token)?.decimals ?? 18)
  const stablecoins: readonly string[] = deployment.stablecoins

  /** What the pools of `token` with these coins say that it costs, each coin taken for as much as it is worth. */
  const quotes = (token: string, coins: readonly string[], at: At, worth: (coin: string) => bigint) => {
    const seen = [...pools.values()].flatMap((pool) => {
      const coin = pool.token0 === token ? pool.token1 : pool.token1 === token ? pool.token0 : null
      if (coin === null || !coins.includes(coin)) return []
      const moment = moments.get(pool.address)?.findLast(({ block }) => block < at.number)
      if (!moment || moment.timestamp < at.timestamp - LOOK_BACK_S) return []
      const isToken0 = pool.token0 === token
      const [own, other] = isToken0 ? [moment.amount0, moment.amount1] : [moment.amount1, moment.amount0]
      const coinSide = (other * worth(coin)) / unit(coin)
      const tokenSide = (own * ONE_USD) / unit(token)
      const rate = rateOf(moment, isToken0, unit(token), unit(coin))
      const depth = stablecoins.includes(token) && tokenSide < coinSide ? tokenSide : coinSide
      return coinSide > 0n ? [{ depth, price: (rate * worth(coin)) / ONE_USD }] : []
    })
    const deepest = seen.reduce((most, { depth }) => (depth > most ? depth : most), 0n)
    return seen.filter(({ depth }) => depth * 100n >= deepest).map(({ price }) => price)
  }

  /** The stablecoins that agree with each other, and of each other one what these say, or what was last said. */
  const agreement = (at: At, steady: readonly string[], last: ReadonlyMap<string, bigint>): Map<string, bigint> => {
    const among = (coin: string) => {
      const others = steady.filter((one) => one !== coin)
      return quotes(coin, others, at, () => ONE_USD)
    }
    const [guilty] = steady
      .map((coin) => ({ coin, rates: among(coin), rate: medianOf(among(coin)) ?? ONE_USD }))
      .filter(({ rate }) => isOff(rate))
      .map((one) => ({ ...one, votes: one.rates.reduce((sum, rate) => sum + (isOff(rate) ? 1 : -1), 0) }))
      .toSorted((a, b) => b.votes - a.votes || Number(a.rate - b.rate) || (a.coin < b.coin ? -1 : 1))
    if (guilty) {
      const left = steady.filter((coin) => coin !== guilty.coin)
      return agreement(at, left, new Map([...last, [guilty.coin, guilty.rate]]))
    }
    return new Map([...last].map(([coin, rate]) => [coin, medianOf(among(coin)) ?? rate]))
  }

  return {
    usd: (token, at) => {
      const fallen = agreement(at, stablecoins, new Map())
      const worth = (coin: string) => {
        const rate = fallen.get(coin) ?? ONE_USD
        return isOff(rate) ? rate : ONE_USD
      }
      return stablecoins.includes(token) ? worth(token) : medianOf(quotes(token, stablecoins, at, worth))
    },
  }
}

function isOff(rate: bigint): boolean {
  return rate < LOWEST_PEG || rate > HIGHEST_PEG
}

function momentsOf(
  pools: ReadonlyMap<string, VerifiedPool>,
  blocks: readonly RecordedBlock[],
): Map<string, PoolMoment[]> {
  const moments = new Map<string, PoolMoment[]>()
  for (const { number, timestamp, transactions } of blocks) {
    for (const log of transactions.flatMap(({ logs }) => logs)) {
      const pool = pools.get(log.address)
      const state = pool && parseState(pool, log)
      if (!pool || !state) continue
      const moment = { block: number, timestamp, ...amountsOf(state) }
      moments.set(pool.address, [...(moments.get(pool.address) ?? []), moment])
    }
  }
  return moments
}

function amountsOf(state: LoggedState): Pick<PoolMoment, 'amount0' | 'amount1' | 'sqrtPriceX96'> {
  if ('reserve0' in state) return { amount0: state.reserve0, amount1: state.reserve1, sqrtPriceX96: null }
  const { sqrtPriceX96, liquidity } = state
  return { amount0: (liquidity * Q96) / sqrtPriceX96, amount1: (liquidity * sqrtPriceX96) / Q96, sqrtPriceX96 }
}

/** How much of the other token one whole token buys, times 1e18, rounded down. */
function rateOf({ amount0, amount1, sqrtPriceX96 }: PoolMoment, isToken0: boolean, unit: bigint, otherUnit: bigint) {
  const [numerator, denominator] = sqrtPriceX96 === null ? [amount1, amount0] : [sqrtPriceX96 * sqrtPriceX96, Q96 * Q96]
  const [over, under] = isToken0 ? [numerator, denominator] : [denominator, numerator]
  return under === 0n ? 0n : (over * unit * ONE_USD) / (under * otherUnit)
}

/** Of an even number: the mean of the two in the middle, rounded down. */
function medianOf(values: readonly bigint[]): bigint | null {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : (low + high) / 2n
}
