import { type ApiFixture, NOON, openFixture } from '@dexfeed/api/test/api-fixture'
import { type Address, DAY_S, MINUTE_S, type Pool, type PricedTrade, type Token } from '@dexfeed/dex'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { connectTo, sceneDatabase } from '@dexfeed/test-setup'
import {
  hexNumber,
  type SeedLiquidity,
  seedLiquidity,
  seedNetwork,
  seedState,
  seedTokens,
} from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { PAIR, USDT, WBNB } from '../guide/guide-world.ts'

type Listed = Token & { symbols: readonly string[] }

const listed = (address: Address, symbol: string, name: string, decimals = 18): Listed => {
  return { address, symbol, name, decimals, symbols: [symbol] }
}

const WETH: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const CAKE: Address = '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82'
const BTCB: Address = '0x7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c'
const ETH: Address = '0x2170ed0880ac9a755fd29b2688956bd959f933f8'
export const MOON: Address = '0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2'
const UNI: Address = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'
const PEPE: Address = '0x6982508145454ce325ddbe47a25d4ec3d2311933'

const TOKENS = {
  bsc: [
    listed(WBNB, 'WBNB', 'Wrapped BNB'),
    listed(USDT, 'USDT', 'Tether USD'),
    listed(CAKE, 'CAKE', 'PancakeSwap Token'),
    listed(BTCB, 'BTCB', 'BTCB Token'),
    listed(ETH, 'ETH', 'Ethereum Token'),
    { address: MOON, symbol: 'MOON', name: 'To the moon', decimals: 9, symbols: [] },
  ],
  eth: [
    listed(WETH, 'WETH', 'Wrapped Ether'),
    listed(USDC, 'USDC', 'USD Coin', 6),
    listed(UNI, 'UNI', 'Uniswap'),
    listed(PEPE, 'PEPE', 'Pepe'),
  ],
} as const

/** A pool with the price of its base token when the world begins. */
interface Market {
  pool: Pool
  base: Address
  /** In millionths of the quote token. */
  priceE6: bigint
  /** USD per quote token. */
  quoteUsd: bigint
  /** Typical size of a trade in USD. */
  size: number
  /** How often it is traded in, compared with others. */
  weight: number
}

const v2 = (name: string) => ({ name, kind: 'uniswap-v2', factory: hexNumber(0xfac), feeBps: 25 }) as const

function pairOf(address: number, name: string, one: Address, other: Address): Pool {
  const [token0 = one, token1 = other] = [one, other].toSorted()
  return { address: hexNumber(address), token0, token1, fee: 2_500, tickSpacing: null, dex: v2(name) }
}

const MARKETS: Readonly<Record<'bsc' | 'eth', readonly Market[]>> = {
  bsc: [
    { pool: PAIR, base: WBNB, priceE6: 600_000_000n, quoteUsd: 1n, size: 4_000, weight: 5 },
    ...[
      { base: CAKE, quote: WBNB, priceE6: 4_000n, quoteUsd: 600n, size: 700, weight: 3 },
      { base: BTCB, quote: USDT, priceE6: 95_000_000_000n, quoteUsd: 1n, size: 9_000, weight: 2 },
      { base: ETH, quote: WBNB, priceE6: 5_000_000n, quoteUsd: 600n, size: 3_000, weight: 2 },
      { base: MOON, quote: WBNB, priceE6: 2n, quoteUsd: 600n, size: 120, weight: 3 },
    ].map(({ quote, ...market }, at) => ({
      ...market,
      pool: pairOf(0x5001 + at, 'pancakeswap-v2', market.base, quote),
    })),
  ],
  eth: [
    { base: WETH, quote: USDC, priceE6: 3_000_000_000n, quoteUsd: 1n, size: 12_000, weight: 5 },
    { base: UNI, quote: WETH, priceE6: 3_000n, quoteUsd: 3_000n, size: 1_500, weight: 2 },
    { base: PEPE, quote: WETH, priceE6: 1n, quoteUsd: 3_000n, size: 600, weight: 3 },
  ].map(({ quote, ...market }, at) => ({ ...market, pool: pairOf(0x6001 + at, 'uniswap-v2', market.base, quote) })),
}

/** What each pool holds of its quote token. */
const RESERVE_USD = 600_000n

/** Three blocks an hour for five days, then two a minute for an hour. */
const OLD_BLOCKS = 360
const NEW_BLOCKS = 120
const BLOCKS = OLD_BLOCKS + NEW_BLOCKS
const NEW_S = 30
const OLD_S = 20 * MINUTE_S

function timeOf(block: number): number {
  const newSince = NOON - 3 - NEW_BLOCKS * NEW_S
  return block > OLD_BLOCKS ? newSince + (block - OLD_BLOCKS) * NEW_S : newSince - (OLD_BLOCKS - block) * OLD_S
}

/** Opens an API on two networks with eight pools, bought and sold over five days at prices that wander. */
export async function openMarketWorld(): Promise<ApiFixture> {
  const ownerUrl = await sceneDatabase('market', fill)
  return openFixture({ ownerUrl, max: 12, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
}

async function fill(databaseUrl: string): Promise<void> {
  const owner = await connectTo(databaseUrl)
  const wrapped = { bsc: WBNB, eth: WETH }
  const stable = { bsc: USDT, eth: USDC }
  for (const network of ['eth', 'bsc'] as const) {
    await seedNetwork(owner, {
      ...{ network, wrapped: wrapped[network], stablecoins: [stable[network]], covered: [] },
      ...{ start: { number: 1, time: timeOf(1) }, head: { number: BLOCKS, time: NOON - 3 } },
    })
    await seedTokens(owner, network, TOKENS[network])
    await writeTrades(databaseUrl, network)
    for (const { pool, base, priceE6, quoteUsd } of MARKETS[network]) {
      const quote = quoteOf(pool, base)
      const quoteReserve = (RESERVE_USD * 10n ** BigInt(decimalsOf(network, quote))) / quoteUsd
      const baseReserve = amountOf(quoteReserve, { network, base, quote, priceE6 })
      const reserves = { [base]: baseReserve, [quote]: quoteReserve }
      const state = {
        kind: 'pair',
        reserve0: reserves[pool.token0] ?? 0n,
        reserve1: reserves[pool.token1] ?? 0n,
      } as const
      await seedState(owner, { network, pool: pool.address, block: BLOCKS, state })
    }
  }
  await seedLiquidity(owner, liquidityOf('bsc', PAIR))
  await seedHours(owner, PAIR)
  await owner.end()
}

const DAYS = 5

/** Stores what a pool of USDT and WBNB held at each full hour; the amount of USDT grows. */
async function seedHours(owner: Client, { address }: Pool): Promise<void> {
  const bytes = [WBNB, USDT, address].map((hex) => Buffer.from(hex.slice(2), 'hex'))
  await owner.query(
    `WITH hours AS (
       SELECT time, n FROM generate_series(to_timestamp($1), to_timestamp($2), interval '1 hour') WITH ORDINALITY AS t(time, n)
     ), network_hours AS (
       INSERT INTO liquidity_hour (chain_id, time, block_number, since, anchors, prices)
       SELECT 56, time, 1, to_timestamp(0), ARRAY[$3, $4]::bytea[], ARRAY[600e18, 1e18] FROM hours
     )
     INSERT INTO pool_hour (time, chain_id, pool, amounts)
     SELECT time, 56, $5, ARRAY[400000e18 + n * 1000e18, 100e18] FROM hours`,
    [NOON - DAYS * DAY_S, NOON, ...bytes],
  )
}

/** Twenty additions and removals over five days, one of them without a known value. */
function liquidityOf(network: 'bsc' | 'eth', { address: pool }: Pool): SeedLiquidity[] {
  return Array.from({ length: 20 }, (_, at) => {
    const block = 10 + at * 24
    const amount = BigInt(1 + at) * 10n ** 18n
    const usd = at === 7 ? null : `${1_000 * (1 + (at % 5))}.00000000`
    const account = hexNumber(0x7ead000000000000000000000000000000000000n + BigInt(at % 3) * 0x1234567n)
    return {
      network,
      pool,
      block,
      time: timeOf(block),
      logIndex: 5,
      account,
      isAdded: at % 3 !== 2,
      amounts: [amount, amount],
      usd,
    }
  })
}

const quoteOf = ({ token0, token1 }: Pool, base: Address) => (token0 === base ? token1 : token0)

interface Rate {
  network: 'bsc' | 'eth'
  base: Address
  quote: Address
  priceE6: bigint
}

/** Returns how much of the base token an amount of the quote token is worth. */
function amountOf(quoteAmount: bigint, { network, base, quote, priceE6 }: Rate): bigint {
  const units = 10n ** BigInt(decimalsOf(network, base))
  return (quoteAmount * 1_000_000n * units) / priceE6 / 10n ** BigInt(decimalsOf(network, quote))
}

function decimalsOf(network: 'bsc' | 'eth', token: Address): number {
  return TOKENS[network].find(({ address }) => address === token)?.decimals ?? 18
}

async function writeTrades(databaseUrl: string, network: 'bsc' | 'eth'): Promise<void> {
  const database = await openDatabase(databaseUrl, { applicationName: 'market-world' })
  const markets = MARKETS[network].map((market) => ({ ...market }))
  const random = drawOf(network === 'bsc' ? 7 : 11)
  const trades: PricedTrade[] = []
  for (let block = 1; block <= BLOCKS; block++) {
    const isRecent = block > OLD_BLOCKS
    const count = Math.floor(random() * (isRecent ? 2 : 5))
    for (let transaction = 0; transaction < count; transaction++) {
      const market = weighted(markets, random())
      // The newest pools are traded in only during the last hours.
      if (block < OLD_BLOCKS - 20 && (market.base === MOON || market.base === PEPE)) continue
      const wander = BigInt(Math.round(10_000 + (random() - 0.49) * (isRecent ? 80 : 260)))
      const moved = (market.priceE6 * wander) / 10_000n
      market.priceE6 = market.priceE6 < 1_000n ? market.priceE6 : moved
      trades.push(tradeOf({ network, market, block, transaction, random }))
    }
  }
  const pools = markets.map(({ pool }) => pool)
  const creations = pools.map((pool, at) => {
    const block = at >= 3 ? OLD_BLOCKS - 20 + at : 1
    return {
      pool: pool.address,
      blockNumber: block,
      timestamp: timeOf(block),
      transactionIndex: 0,
      txHash: hexNumber(0xc0de + at, 64),
      creator: hexNumber(0x71),
    }
  })
  const times = { fromTime: timeOf(1), toTime: timeOf(BLOCKS) }
  await openIndexerStore(database, network).commitHistory({
    ...{ from: 1, to: BLOCKS, ...times, trades, pools, creations, tokens: [] },
  })
  await database.close()
}

interface Drawn {
  network: 'bsc' | 'eth'
  market: Market
  block: number
  transaction: number
  random: () => number
}

function tradeOf({ network, market, block, transaction, random }: Drawn): PricedTrade {
  const { pool, base, priceE6, quoteUsd, size } = market
  const quote = quoteOf(pool, base)
  const usd = BigInt(1 + Math.floor(size * (0.05 + random() ** 3 * 4)))
  const quoteAmount = (usd * 10n ** BigInt(decimalsOf(network, quote))) / quoteUsd
  const baseAmount = amountOf(quoteAmount, { network, base, quote, priceE6 })
  const isBuy = random() < 0.55
  const [tokenIn, amountIn] = isBuy ? [quote, quoteAmount] : [base, baseAmount]
  const [tokenOut, amountOut] = isBuy ? [base, baseAmount] : [quote, quoteAmount]
  const usdE8 = usd * 10n ** 8n
  return {
    ...{ blockNumber: block, timestamp: timeOf(block), transactionIndex: transaction, position: 0 },
    txHash: hexNumber(block * 100 + transaction + (network === 'eth' ? 1_000_000 : 0), 64),
    trader: hexNumber(
      0x7ead000000000000000000000000000000000000n + BigInt(Math.floor(random() ** 2 * 40)) * 0x1234567n,
    ),
    ...{ settledFor: null, byToken: false, isPartial: false, flags: 0 },
    sell: { token: tokenIn, amount: amountIn, native: false },
    buy: { token: tokenOut, amount: amountOut, native: false },
    hops: [
      {
        ...{ pool, logIndex: 1, recipient: null, reservesBefore: null, nativeIn: false, nativeOut: false },
        ...{ tokenIn, amountIn, tokenOut, amountOut },
      },
    ],
    hopsUsdE8: [usdE8],
    ...{ usdE8, source: 'stablecoin' },
  }
}

function weighted(markets: Market[], draw: number): Market {
  const total = markets.reduce((sum, { weight }) => sum + weight, 0)
  let left = draw * total
  for (const market of markets) {
    left -= market.weight
    if (left < 0) return market
  }
  throw new Error('there is no market')
}

/** A generator of the same numbers each time (mulberry32): the pictures of the page stay comparable. */
function drawOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
