import { type Address, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Candle, CandleSelection } from '@dexfeed/store'
import type { Pool } from 'pg'
import { bucketPrices, type LastPrice, TokenFlows, type TokenPrices } from '../../src/tables/rollups/median-price.ts'
import { HOPS } from '../../src/tables/swap/swap-hop.ts'

export interface PlainHop {
  chainId: number
  time: number
  block: bigint
  log: number
  poolKey: string
  tokenIn: string
  amountIn: bigint
  tokenOut: string
  amountOut: bigint
  usdE8: bigint | null
  flags: number
}

export async function plainHops(pool: Pool): Promise<PlainHop[]> {
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT chain_id, extract(epoch FROM block_time)::bigint AS time, block_number, log_index, pool_key,
       '0x' || encode(token_in, 'hex') AS token_in, '0x' || encode(token_out, 'hex') AS token_out, amount_in, amount_out,
       replace(volume_usd::text, '.', '') AS usd, flags FROM ${HOPS.text} AS hop`,
  )
  return rows.map((row) => ({
    chainId: Number(row.chain_id),
    time: Number(row.time),
    block: BigInt(row.block_number ?? 0),
    log: Number(row.log_index),
    poolKey: String(row.pool_key),
    tokenIn: String(row.token_in),
    amountIn: BigInt(row.amount_in ?? 0),
    tokenOut: String(row.token_out),
    amountOut: BigInt(row.amount_out ?? 0),
    usdE8: row.usd === null || row.usd === undefined ? null : BigInt(row.usd),
    flags: Number(row.flags),
  }))
}

/**
 * Computes the candles hop by hop, as docs/internals/candles.md defines them, for a network without 24 covered hours or
 * anchors among its tokens. `decimals` are those of the token.
 */
export function plainCandles(hops: readonly PlainHop[], selection: CandleSelection, decimals: number): Candle[] {
  const { token, within, quote, from, to, interval } = selection
  const ofToken = hops.filter((hop) => isOf(hop, selection)).sort(byPlace)
  const mine = ofToken.filter((hop) => hop.time >= from && hop.time < to)
  // Weeks begin on Monday; 1970 began on a Thursday.
  const startOf = (time: number) => time - ((time + 3 * 86_400) % interval)
  const starts = [...new Set(mine.map(({ time }) => startOf(time)))].sort((a, b) => a - b)
  return starts.map((time) => {
    const own = mine.filter((hop) => startOf(hop.time) === time)
    const inPool = quote === undefined ? pricesOf(own, token) : pricesInOther(own, token, quote)
    const prices = within === null ? medians(ofToken, token, own) : inPool
    const text = (price: bigint | undefined) => (price === undefined ? null : decimal(price, decimals))
    const buys = own.filter(({ tokenOut }) => tokenOut === token)
    const sells = own.filter(({ tokenOut }) => tokenOut !== token)
    return {
      time,
      open: text(prices?.open),
      high: text(prices?.high),
      low: text(prices?.low),
      close: text(prices?.close),
      isWeighted: within === null && prices !== null ? false : null,
      volumeUsd: volumeOf(own),
      trades: own.length,
      unpriced: own.filter(({ usdE8 }) => usdE8 === null).length,
      buys: buys.length,
      sells: sells.length,
      buyVolumeUsd: volumeOf(buys),
      sellVolumeUsd: volumeOf(sells),
    }
  })
}

function volumeOf(hops: readonly PlainHop[]): string {
  const volume = hops.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n)
  return `${volume / 10n ** 8n}.${String(volume % 10n ** 8n).padStart(8, '0')}`
}

function byPlace(a: PlainHop, b: PlainHop): number {
  return a.block === b.block ? a.log - b.log : a.block < b.block ? -1 : 1
}

/** Returns the prices set by `hops`, which are in order; null if none sets one. */
function pricesOf(hops: readonly PlainHop[], token: Address): TokenPrices | null {
  const prices = hops.flatMap((hop) => priceOf(hop, token) ?? [])
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1))
  const [open, close, low, high] = [prices[0], prices.at(-1), sorted[0], sorted.at(-1)]
  const isNone = open === undefined || close === undefined || high === undefined || low === undefined
  return isNone ? null : { open, high, low, close }
}

/**
 * Returns the prices in the other token. Of each minute, open and close are those of hops, and the others follow from the
 * extremes in USD.
 */
function pricesInOther(hops: readonly PlainHop[], token: Address, quote: Address): TokenPrices | null {
  const minutes = [...new Set(hops.map(({ time }) => time - (time % 60)))]
  const ofMinutes = minutes.flatMap((minute) => {
    const own = hops.filter(({ time }) => time - (time % 60) === minute)
    const [base, other] = [pricesOf(own, token), pricesOf(own, quote)]
    if (base === null || other === null) return []
    const [open, close] = [ratio(base.open, other.open), ratio(base.close, other.close)]
    const [high, low] = [ratio(base.high, other.high), ratio(base.low, other.low)]
    const sorted = [open, high, low, close].toSorted((a, b) => (a < b ? -1 : 1))
    return [{ open, high: sorted[3] ?? open, low: sorted[0] ?? open, close }]
  })
  const [first, last] = [ofMinutes[0], ofMinutes.at(-1)]
  if (first === undefined || last === undefined) return null
  const extreme = (of: 'high' | 'low', sign: 1n | -1n) =>
    ofMinutes.map((minute) => minute[of]).reduce((a, b) => (sign * b > sign * a ? b : a))
  return { open: first.open, high: extreme('high', 1n), low: extreme('low', -1n), close: last.close }
}

/** Returns `base / other` times 10^42, rounded down to two digits fewer than the shorter price has. */
function ratio(base: bigint, other: bigint): bigint {
  const exact = (base * 10n ** 42n) / other
  const digits = Math.min(String(base).length, String(other).length) - 2
  const unit = 10n ** BigInt(Math.max(0, String(exact).length - digits))
  return (exact / unit) * unit
}

/** Returns the medians over a token's pools. `all` are the token's hops, `hops` those in an interval, both in order. */
function medians(all: readonly PlainHop[], token: Address, hops: readonly PlainHop[]): TokenPrices | null {
  const minutes = hops.flatMap(({ time, usdE8 }) => (usdE8 === null ? [] : [time - (time % 60)]))
  const [start, first, last] = [hops[0], Math.min(...minutes), Math.max(...minutes)]
  if (start === undefined || minutes.length === 0) return null
  const priced = all.filter((hop) => priceOf(hop, token) !== null)
  const nets = new Map<string, { pool: string; hour: number; net: bigint }>()
  for (const { poolKey: pool, time, usdE8, tokenOut } of priced) {
    const hour = time - (time % 3_600)
    const flow = nets.get(`${pool} ${hour}`) ?? { pool, hour, net: 0n }
    nets.set(`${pool} ${hour}`, { ...flow, net: flow.net + (tokenOut === token ? 1n : -1n) * (usdE8 ?? 0n) })
  }
  const pools = [...new Set(priced.map(({ poolKey }) => poolKey))]
  const inPools = pools.flatMap((pool) => {
    const own = hops.filter(({ poolKey }) => poolKey === pool)
    const times = own.flatMap((hop) => (priceOf(hop, token) === null ? [] : [hop.time - (hop.time % 60)]))
    const prices = pricesOf(own, token)
    return prices === null ? [] : [{ pool, ...prices, first: Math.min(...times), last: Math.max(...times) }]
  })
  const before = new Map(
    pools.flatMap((pool): [string, LastPrice][] => {
      const hop = priced.findLast((plainHop) => plainHop.poolKey === pool && byPlace(plainHop, start) < 0)
      const price = hop && priceOf(hop, token)
      return hop && price ? [[pool, { price, minute: hop.time - (hop.time % 60) }]] : []
    }),
  )
  return bucketPrices({ first, last }, inPools, before, new TokenFlows(nets.values()))
}

function isOf(hop: PlainHop, { network, token, within }: CandleSelection): boolean {
  const tokens = [hop.tokenIn, hop.tokenOut]
  if (hop.chainId !== NETWORKS[network as NetworkName].chainId || !tokens.includes(token)) return false
  if (within === null) return true
  return 'pool' in within ? hop.poolKey === lastBytes(within.pool) : tokens.includes(within.other as Address)
}

function lastBytes(pool: PoolAddress): string {
  return String(BigInt.asIntN(64, BigInt(`0x${pool.slice(-16)}`)))
}

/** USD per base unit times 10^42. */
function priceOf(hop: PlainHop, token: Address): bigint | null {
  const { usdE8, flags, amountIn, amountOut } = hop
  if (usdE8 === null || usdE8 < 10n ** 6n || (flags & 6) !== 0 || hop.tokenIn === hop.tokenOut) return null
  if (amountIn < 1_000n || amountOut < 1_000n) return null
  const prices = [amountIn, amountOut].map((amount) => (usdE8 * 10n ** 34n) / amount)
  if (prices.some((price) => price < 1_000n)) return null
  return (hop.tokenIn === token ? prices[0] : prices[1]) ?? null
}

/** Returns the price of a whole token with 18 digits. */
function decimal(price: bigint, decimals: number): string {
  const length = String(price).length
  const cut = length > 18 ? 10n ** BigInt(length - 18) : 1n
  const rounded = (price / cut) * cut
  const unit = 10n ** BigInt(42 - decimals)
  const fraction = String(rounded % unit)
    .padStart(42 - decimals, '0')
    .replace(/0+$/, '')
  return `${rounded / unit}${fraction === '' ? '' : `.${fraction}`}`
}
