import type { DevnetChain } from '@dexfeed/devnet'
import type { AuthenticPool } from './authentic-pools.ts'
import type { RecordedBlock } from './chain-record.ts'
import { parseState, type ToldState } from './pool-events.ts'
import type { TokenFacts } from './tokens.ts'

/** USD of one whole token, times 1e18. */
export const ONE_USD = 10n ** 18n
const LOOK_BACK_S = 86_400
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
  pools: ReadonlyMap<string, AuthenticPool>
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

/** Prices of the anchors from the logs of their pools with stablecoins (DESIGN section 5). */
export function referencePrices(options: ReferenceOptions): ReferencePrices {
  const { deployment, tokens, pools, blocks } = options
  const moments = momentsOf(pools, blocks)
  const unit = (token: string) => 10n ** BigInt(tokens.get(token)?.decimals ?? 18)
  const asStablecoin = new Set<string>(deployment.stablecoins)

  /** Median price of `token` in the stablecoins that it shares pools with, each taken for as much as it is worth. */
  const median = (token: string, at: { number: number; timestamp: number }, worth: (coin: string) => bigint) => {
    const seen = [...pools.values()].flatMap((pool) => {
      const coin = pool.token0 === token ? pool.token1 : pool.token1 === token ? pool.token0 : null
      if (coin === null || !asStablecoin.has(coin)) return []
      const moment = moments.get(pool.address)?.findLast(({ block }) => block < at.number)
      if (!moment || moment.timestamp < at.timestamp - LOOK_BACK_S) return []
      const isToken0 = pool.token0 === token
      const depth = ((isToken0 ? moment.amount1 : moment.amount0) * worth(coin)) / unit(coin)
      const rate = rateOf(moment, isToken0, unit(token), unit(coin))
      return [{ depth, price: (rate * worth(coin)) / ONE_USD }]
    })
    const deepest = seen.reduce((most, { depth }) => (depth > most ? depth : most), 0n)
    const prices = seen.filter(({ depth }) => depth > 0n && depth * 100n >= deepest).map(({ price }) => price)
    return medianOf(prices)
  }

  const stablecoinUsd = (coin: string, at: { number: number; timestamp: number }) => {
    const rate = median(coin, at, () => ONE_USD)
    return rate === null || (rate >= LOWEST_PEG && rate <= HIGHEST_PEG) ? ONE_USD : rate
  }

  return {
    usd: (token, at) =>
      asStablecoin.has(token) ? stablecoinUsd(token, at) : median(token, at, (coin) => stablecoinUsd(coin, at)),
  }
}

function momentsOf(
  pools: ReadonlyMap<string, AuthenticPool>,
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

function amountsOf(state: ToldState): Pick<PoolMoment, 'amount0' | 'amount1' | 'sqrtPriceX96'> {
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
