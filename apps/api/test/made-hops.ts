import { inspect } from 'node:util'
import { checksumAddress } from '@dexfeed/contract'
import { DAY_S, type Hex, type Pool, type PricedTrade } from '@dexfeed/dex'
import { madeHop, madePool, madeRow } from '@dexfeed/dex/test/made-hop'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { connectTo, sceneDatabase } from '@dexfeed/test-setup'
import { hexNumber, seedNetwork, seedTokens } from '@dexfeed/test-setup/seed'
import { expect } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

export const [ONE, TWO, THREE] = [hexNumber(1), hexNumber(2), hexNumber(3)]
export const DECIMALS: Record<string, number> = { [ONE]: 18, [TWO]: 6, [THREE]: 0 }
export const pool = (n: number, tokens: readonly Hex[], dex: string): Pool =>
  madePool(hexNumber(n), [tokens[0] ?? ONE, tokens[1] ?? TWO], {
    dex: { name: dex, kind: 'uniswap-v2', factory: hexNumber(0xf0), feeBps: 30 },
    ...(tokens.length > 2 ? { coins: tokens } : {}),
  })
export const POOLS = [
  pool(0xa0, [ONE, TWO], 'uniswap-v2'),
  pool(0xa1, [THREE, ONE], 'sushiswap'),
  pool(0xa2, [ONE, TWO, THREE], 'curve'),
] as const
const BLOCKS = 400
const FULLY = { depth: null, maxArrayLength: null }

/** Hops of all kinds: without a value, doubtful, too small, of a pool of three tokens. Some trades have two. */
export function tradeOf(n: number): PricedTrade {
  const hops = Array.from({ length: 1 + (n % 2) }, (_, at) => {
    const of = POOLS[(n + at) % 3] ?? POOLS[0]
    const pair = of.coins === undefined ? [of.token0, of.token1] : [of.coins[n % 3], of.coins[(n + 1) % 3]]
    const [tokenIn = ONE, tokenOut = TWO] = n % 5 < 2 ? pair : pair.toReversed()
    const amount = (token: Hex, k: number) =>
      10n ** BigInt((DECIMALS[token] ?? 0) % 17) * BigInt(1_000 + ((n * k) % 977))
    const amountIn = n % 13 === 0 ? 999n : amount(tokenIn, 7)
    return madeHop(5 - at, [tokenIn, amountIn], [tokenOut, amount(tokenOut, 11)], { pool: of })
  })
  const usdE8 = n % 11 === 0 ? null : BigInt(n) * 987_654_321n
  return madeRow(hops, {
    // Three days up to noon, in bursts.
    blockNumber: n,
    timestamp: NOON - 3 * DAY_S + Math.floor((n * 3 * DAY_S) / BLOCKS / 900) * 900 + (n % 7) * 20,
    transactionIndex: 0,
    txHash: hexNumber(n, 64),
    trader: n % 17 === 0 ? null : hexNumber(n % 9),
    sell: { token: ONE, amount: 1n, native: false },
    buy: { token: TWO, amount: 1n, native: false },
    hopsUsdE8: hops.map((_, at) => (at === 1 && n % 4 === 1 ? null : usdE8)),
    ...(n % 10 === 3 && { hopsFlags: hops.map(() => 4) }),
    usdE8,
    source: usdE8 === null ? null : 'stablecoin',
  })
}

export const TRADES = Array.from({ length: BLOCKS }, (_, n) => tradeOf(n + 1))

/** Opens an API on the hops of a network, which are committed in parts, out of order. */
export async function openWithHops(made: readonly PricedTrade[] = TRADES): Promise<ApiFixture> {
  return openFixture({ ownerUrl: await sceneDatabase(`hops ${inspect(made, FULLY)}`, (url) => writeHops(url, made)) })
}

async function writeHops(databaseUrl: string, made: readonly PricedTrade[]): Promise<void> {
  const owner = await connectTo(databaseUrl)
  const head = { number: BLOCKS, time: NOON }
  const start = { number: 1, time: NOON - 3 * DAY_S }
  await seedNetwork(owner, { network: 'bsc', wrapped: ONE, stablecoins: [TWO], start, head })
  await seedTokens(
    owner,
    'bsc',
    [ONE, TWO, THREE].map((token) => ({ address: token, symbol: 'T', name: 'T', decimals: DECIMALS[token] ?? 0 })),
  )
  await owner.end()
  const database = await openDatabase(databaseUrl, { applicationName: 'test' })
  const store = openIndexerStore(database, 'bsc')
  for (const [from, to] of [
    [151, 400],
    [1, 90],
    [91, 150],
  ] as const) {
    const trades = made.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
    const times = { fromTime: trades[0]?.timestamp ?? 0, toTime: trades.at(-1)?.timestamp ?? 0 }
    await store.commitHistory({ from, to, ...times, trades, pools: POOLS, tokens: [] })
  }
  await database.close()
}

export interface PlainHop {
  time: number
  at: number
  trade: number
  pool: string
  dex: string
  tokens: string[]
  amounts: bigint[]
  usdE8: bigint | null
  isDoubted: boolean
  trader: string | null
}

export async function plainHops(api: ApiFixture): Promise<PlainHop[]> {
  const { rows } = await api.owner.query(
    `SELECT extract(epoch FROM block_time)::int AS time, block_number::int AS block, log_index, hop.pool_key::int AS pool,
       '0x' || encode(token_in, 'hex') AS token_in, amount_in, '0x' || encode(token_out, 'hex') AS token_out, amount_out,
       replace(hop.volume_usd::text, '.', '') AS usd, hop.flags, encode(trader, 'hex') AS trader
     FROM swap_hop AS hop JOIN swap USING (chain_id, block_number, transaction_index, position, block_time)
     ORDER BY block_number, log_index`,
  )
  return rows.map((row, at) => {
    const of = POOLS.find(({ address }) => Number(address) === row.pool) ?? POOLS[0]
    return {
      time: row.time,
      at,
      trade: row.block,
      pool: of.address,
      dex: of.dex.name,
      tokens: [row.token_in, row.token_out],
      amounts: [BigInt(row.amount_in), BigInt(row.amount_out)],
      usdE8: row.usd === null ? null : BigInt(row.usd),
      isDoubted: row.flags !== 0,
      trader: row.trader,
    }
  })
}

const usdText = (usdE8: bigint) => `${usdE8 / 10n ** 8n}.${String(usdE8 % 10n ** 8n).padStart(8, '0')}`
export const iso = (time: number) => new Date(time * 1000).toISOString()
export const sumOf = (hops: readonly { usdE8: bigint | null }[]) =>
  usdText(hops.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n))

export function byInterval<T extends { time: number }>(rows: readonly T[], interval: number): [number, T[]][] {
  // Weeks begin on Monday; 1970 began on a Thursday.
  const startOf = (time: number) => time - ((time + 3 * DAY_S) % interval)
  const starts = [...new Set(rows.map(({ time }) => startOf(time)))].sort((a, b) => a - b)
  return starts.map((start) => [start, rows.filter(({ time }) => startOf(time) === start)])
}

/** Returns all rows of a list, page by page. */
export async function all(api: ApiFixture, query: string): Promise<unknown[]> {
  const rows: unknown[] = []
  for (let path: string | undefined = query; path !== undefined; ) {
    const { status, body, headers } = await api.get(path)
    expect(status, JSON.stringify(body)).toBe(200)
    rows.push(...body.data)
    path = headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1]
  }
  return rows
}

/** Returns the candles of a token as packages/store reads them (packages/store/src/reading/candles.test.ts). */
export async function storedCandles(
  api: ApiFixture,
  token: Hex,
  interval: number,
  within: { pool: Hex } | { other: Hex } | null = null,
) {
  const selection = { network: 'bsc', token, within, interval, from: NOON - 4 * DAY_S, to: NOON + DAY_S } as const
  const candles = await api.reader.candles(selection)
  return candles.map(({ time, open, high, low, close, isWeighted, volumeUsd, trades, unpriced, ...flow }) => ({
    token: checksumAddress(token),
    time: iso(time),
    open,
    high,
    low,
    close,
    weighted: isWeighted,
    volume_usd: volumeUsd,
    swaps: trades,
    unpriced_swaps: unpriced,
    buys: flow.buys,
    sells: flow.sells,
    buy_volume_usd: flow.buyVolumeUsd,
    sell_volume_usd: flow.sellVolumeUsd,
  }))
}

/** Returns the price of a whole token that a hop sets by the rules of docs/internals/candles.md; null if it sets none. */
export function plainPrice({ tokens, amounts, usdE8, isDoubted }: PlainHop, token: Hex): string | null {
  if (usdE8 === null || isDoubted || usdE8 < 10n ** 6n || amounts.some((amount) => amount < 1_000n)) return null
  return wholeToken((usdE8 * 10n ** 34n) / (amounts[tokens.indexOf(token)] ?? 1n), DECIMALS[token] ?? 0)
}

export function plainFlow(hops: readonly Pick<PlainHop, 'tokens' | 'usdE8'>[], token: Hex) {
  const buys = hops.filter(({ tokens }) => tokens[1] === token)
  const sells = hops.filter(({ tokens }) => tokens[1] !== token)
  const volumes = { buy_volume_usd: sumOf(buys), sell_volume_usd: sumOf(sells) }
  return { buys: buys.length, sells: sells.length, ...volumes }
}

function wholeToken(price: bigint, decimals: number): string {
  const dropped = 10n ** BigInt(Math.max(0, String(price).length - 18))
  const scaled = (price / dropped) * dropped * 10n ** BigInt(decimals)
  const [whole, fraction] = [
    scaled / 10n ** 42n,
    String(scaled % 10n ** 42n)
      .padStart(42, '0')
      .replace(/0+$/, ''),
  ]
  return fraction === '' ? String(whole) : `${whole}.${fraction}`
}
