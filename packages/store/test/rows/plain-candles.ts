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
  const { token, within, from, to, interval } = selection
  const ofToken = hops.filter((hop) => isOf(hop, selection)).sort(byPlace)
  const mine = ofToken.filter((hop) => hop.time >= from && hop.time < to)
  const starts = [...new Set(mine.map(({ time }) => time - (time % interval)))].sort((a, b) => a - b)
  return starts.map((time) => {
    const own = mine.filter((hop) => hop.time - (hop.time % interval) === time)
    const prices = within === null ? medians(ofToken, token, own) : pricesOf(own, token)
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
  const rounded = (price / cut) * cut * 10n ** BigInt(decimals)
  const fraction = String(rounded % 10n ** 42n)
    .padStart(42, '0')
    .replace(/0+$/, '')
  return `${rounded / 10n ** 42n}${fraction === '' ? '' : `.${fraction}`}`
}
