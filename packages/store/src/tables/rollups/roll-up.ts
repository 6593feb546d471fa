import { type Address, type Hop, MINUTE_S, type PoolAddress, type PricedTrade, present } from '@dexfeed/dex'
import { hopInTrade } from '../swap/swap-hop.ts'
import { BOUGHT_PART, POOL_PART, SOLD_PART } from './held-candles.ts'
import { placeOf, pricesOf } from './price-rule.ts'

/** Places of a bucket without a price, so that any hop replaces both. */
const BEHIND_ALL = Number.POSITIVE_INFINITY
const BEFORE_ALL = Number.NEGATIVE_INFINITY

class Prices {
  open: bigint
  high: bigint
  low: bigint
  close: bigint

  constructor(price: bigint) {
    this.open = price
    this.high = price
    this.low = price
    this.close = price
  }
}

class Bucket {
  readonly time: number
  part = BEHIND_ALL
  trades = 0
  unpriced = 0
  usdE8 = 0n
  /** Hops that pay out the token, in a PoolBucket token0. */
  buys = 0
  buyUsdE8 = 0n
  trade = -1

  constructor(time: number) {
    this.time = time
  }
}

export class PoolBucket extends Bucket {
  readonly pool: PoolAddress
  readonly token0: Address
  readonly token1: Address
  prices0: Prices | null = null
  prices1: Prices | null = null
  /** Places of the first and last hop that set a price; infinite if none does. */
  openAt = BEHIND_ALL
  closeAt = BEFORE_ALL
  /** Number of hops that set a price; `netUsdE8` is the value of token0 bought minus token0 sold. */
  pricedHops = 0
  netUsdE8 = 0n

  constructor(time: number, pool: PoolAddress, token0: Address, token1: Address) {
    super(time)
    this.pool = pool
    this.token0 = token0
    this.token1 = token1
  }

  get isPriced(): boolean {
    return this.openAt !== BEHIND_ALL
  }

  add(place: number, hop: Hop, usdE8: bigint | null = null, flags = 0): void {
    this.trades += 1
    if (usdE8 === null) this.unpriced += 1
    else this.usdE8 += usdE8
    if (hop.tokenOut === this.token0) {
      this.buys += 1
      this.buyUsdE8 += usdE8 ?? 0n // without a value, it adds none to `usdE8` either
    }
    if (place < this.part) this.part = place
    const prices = pricesOf(hop, usdE8, flags)
    if (usdE8 === null || prices === null) return
    const isInOrder = hop.tokenIn === this.token0
    this.pricedHops += 1
    this.netUsdE8 += isInOrder ? -usdE8 : usdE8
    const price0 = prices[isInOrder ? 0 : 1]
    const price1 = prices[isInOrder ? 1 : 0]
    // Hops of two trades of a transaction may not arrive in log order.
    const isFirst = place < this.openAt
    const isLast = place > this.closeAt
    this.prices0 = moved(this.prices0, price0, isFirst, isLast)
    this.prices1 = moved(this.prices1, price1, isFirst, isLast)
    if (isFirst) this.openAt = place
    if (isLast) this.closeAt = place
  }
}

export class TokenBucket extends Bucket {
  readonly token: Address

  constructor(time: number, token: Address) {
    super(time)
    this.token = token
  }
}

export interface RollUp {
  pools: PoolBucket[]
  tokens: TokenBucket[]
}

/** Sums hops by minute (docs/internals/candles.md); accepts trades in any order. */
export function rollUp(trades: readonly PricedTrade[]): RollUp {
  const minutes = new Map<number, Map<string, PoolBucket>>()
  let trade = -1
  for (const { blockNumber, timestamp, hops, hopsUsdE8, hopsFlags } of trades) {
    trade += 1
    const time = timestamp - (timestamp % MINUTE_S)
    let pools = minutes.get(time)
    if (pools === undefined) {
      pools = new Map()
      minutes.set(time, pools)
    }
    let index = 0
    for (const hop of hops) {
      const bucket = bucketOf(pools, time, hop)
      bucket.add(placeOf(blockNumber, hop.logIndex), hop, hopsUsdE8[index], hopsFlags?.[index])
      bucket.trade = trade
      index += 1
    }
  }
  const pools = [...minutes.values()].flatMap((ofMinute) => [...ofMinute.values()])
  return { pools, tokens: tokensOf(pools) }
}

export interface HeldApart extends RollUp {
  parts: Uint8Array
}

export function heldApart({ pools, tokens }: RollUp, trades: readonly PricedTrade[]): HeldApart {
  const parts = new Uint8Array(trades.length)
  const holderOf = ({ trades: hops, trade }: Bucket) => {
    const holder = hops === 1 ? trades[trade] : undefined
    return holder !== undefined && hopInTrade(holder) !== null ? holder : null
  }
  const isRow = (bucket: Bucket, bitOf: (holder: PricedTrade) => number) => {
    const holder = holderOf(bucket)
    if (holder === null) return true
    parts[bucket.trade] = present(parts[bucket.trade]) | bitOf(holder)
    return false
  }
  return {
    pools: pools.filter((bucket) => isRow(bucket, () => POOL_PART)),
    tokens: tokens.filter((bucket) =>
      isRow(bucket, ({ sell }) => (bucket.token === sell.token ? SOLD_PART : BOUGHT_PART)),
    ),
    parts,
  }
}

function bucketOf(pools: Map<string, PoolBucket>, time: number, { pool, tokenIn, tokenOut }: Hop): PoolBucket {
  // Only a pool with more than two tokens has more than one pair.
  const isPair = pool.coins === undefined && pool.underlying === undefined
  const key = isPair ? pool.address : pool.address + (tokenIn < tokenOut ? tokenIn + tokenOut : tokenOut + tokenIn)
  let bucket = pools.get(key)
  if (bucket === undefined) {
    const isInOrder = tokenIn <= tokenOut
    bucket = new PoolBucket(time, pool.address, isInOrder ? tokenIn : tokenOut, isInOrder ? tokenOut : tokenIn)
    pools.set(key, bucket)
  }
  return bucket
}

function moved(prices: Prices | null, price: bigint, isFirst: boolean, isLast: boolean): Prices {
  if (prices === null) return new Prices(price)
  if (price > prices.high) prices.high = price
  if (price < prices.low) prices.low = price
  if (isFirst) prices.open = price
  if (isLast) prices.close = price
  return prices
}

function tokensOf(pools: readonly PoolBucket[]): TokenBucket[] {
  const minutes = new Map<number, Map<Address, TokenBucket>>()
  for (const bucket of pools) {
    let tokens = minutes.get(bucket.time)
    if (tokens === undefined) {
      tokens = new Map()
      minutes.set(bucket.time, tokens)
    }
    addPool(tokens, bucket.token0, bucket)
    if (bucket.token1 !== bucket.token0) addPool(tokens, bucket.token1, bucket)
  }
  return [...minutes.values()].flatMap((ofMinute) => [...ofMinute.values()])
}

function addPool(tokens: Map<Address, TokenBucket>, token: Address, of: PoolBucket): void {
  let bucket = tokens.get(token)
  if (bucket === undefined) {
    bucket = new TokenBucket(of.time, token)
    tokens.set(token, bucket)
  }
  bucket.trades += of.trades
  bucket.trade = of.trade
  bucket.unpriced += of.unpriced
  bucket.usdE8 += of.usdE8
  bucket.buys += token === of.token0 ? of.buys : of.trades - of.buys
  bucket.buyUsdE8 += token === of.token0 ? of.buyUsdE8 : of.usdE8 - of.buyUsdE8
  bucket.part = Math.min(bucket.part, of.part)
}
