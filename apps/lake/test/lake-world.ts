import { join } from 'node:path'
import {
  type Address,
  type BlockHeader,
  type Dex,
  dateOfDay,
  dayOf,
  type Hex,
  type NetworkName,
  type Pool,
  type PricedMove,
  type PricedTrade,
  present,
  type Token,
} from '@dexfeed/dex'
import { type Database, type IndexerStore, openDatabase, openIndexerStore, openLakeStore } from '@dexfeed/store'
import { closeAfter, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { folderStore } from '../src/objects/folder.ts'
import type { ObjectStore } from '../src/objects/object-store.ts'
import { type DayWriter, writeDay } from '../src/write-day.ts'

export const NETWORK = 'bsc' as const
/** 2026-11-20 00:00 UTC. Blocks are 20 minutes apart, so a day has 72. */
export const FIRST_DAY = dayOf(Date.UTC(2026, 10, 20) / 1_000)
const BLOCK_S = 1_200
const DAY_BLOCKS = 72
const MIDNIGHT = FIRST_DAY * 86_400

export const [ONE, TWO, ANCHOR, UNKNOWN] = [hexNumber(1), hexNumber(2), hexNumber(3), hexNumber(4)]
export const TOKENS: Token[] = [
  { address: ONE, symbol: 'ONE\t\\N', name: "O'ne\n\\x00 \u{1f40d}", decimals: 18 },
  { address: TWO, symbol: '', name: 'Two', decimals: 0 },
  { address: ANCHOR, symbol: 'ANC', name: 'Anchor', decimals: 6 },
]
const DEX = { name: 'uniswap-v2', kind: 'uniswap-v2', factory: hexNumber(0xf0), feeBps: 30 } as const

const OTHER_DEX = { ...DEX, name: 'other-v2' } as const

function pool(address: Hex, tokens: readonly Address[], dex: Dex = DEX): Pool {
  const [token0 = ONE, token1 = TWO] = tokens
  const coins = tokens.length > 2 ? { coins: tokens } : {}
  return { address, token0, token1, fee: 3_000, tickSpacing: null, dex, ...coins }
}

/** The second and the third share a key and no pair of tokens; the last two share both. */
export const POOLS = [
  pool(hexNumber(0xa0), [ONE, TWO]),
  pool(`0x${'01'.repeat(12)}00000000000000a1`, [ONE, TWO]),
  pool(`0x${'02'.repeat(12)}00000000000000a1`, [TWO, ANCHOR], OTHER_DEX),
  pool(`0x${'03'.repeat(44)}00000000000000a2`, [ONE, ANCHOR, UNKNOWN]),
  pool(`0x${'04'.repeat(12)}00000000000000a3`, [ONE, ANCHOR]),
  pool(`0x${'05'.repeat(12)}00000000000000a3`, [ONE, ANCHOR], OTHER_DEX),
]

const amount = fc.oneof(
  fc.bigInt(1_000n, 10n ** 9n),
  fc.bigInt(0n, 2n ** 64n),
  fc.bigInt(2n ** 128n - 2n, 2n ** 128n + 2n),
  fc.constantFrom(2n ** 192n, 2n ** 256n - 1n),
)
const usd = fc.option(fc.oneof(fc.bigInt(0n, 10n ** 12n), fc.constant(10n ** 20n + 1n)), { freq: 5 })

const hop = fc.record({
  pool: fc.constantFrom(...POOLS),
  from: fc.nat(2),
  step: fc.constantFrom(1, 2),
  amountIn: amount,
  amountOut: amount,
  usdE8: usd,
})

/** The last block with trades of a world with so many complete days. */
const lastBlock = (days: number) => (days + 1) * DAY_BLOCKS + 4

const blockWithin = (days: number) => fc.integer({ min: DAY_BLOCKS - 5, max: lastBlock(days) })
/** Each 24th block has many trades, also the first of a day. */
const toBusy = (block: number) => Math.max(DAY_BLOCKS, block - (block % 24))

/** A trade of some hops in a block. Most hops set a price. */
const tradeWithin = (days: number) =>
  fc.record({
    block: fc.oneof(blockWithin(days), blockWithin(days).map(toBusy)),
    hops: fc.array(hop, { minLength: 1, maxLength: 3 }),
    usdE8: usd,
    trader: fc.option(fc.constantFrom(hexNumber(0xb0), hexNumber(0xb1))),
    flags: fc.constantFrom(0, 0, 0, 1, 4),
    isHeld: fc.boolean(),
  })

/** The complete days have trades before and after them. */
const edge = (block: number) => ({ block, hops: [EDGE_HOP], usdE8: 10n ** 8n, trader: null, flags: 0, isHeld: true })
const EDGE_HOP = {
  pool: present(POOLS[0]),
  from: 0,
  step: 1,
  amountIn: 10n ** 18n,
  amountOut: 10n ** 6n,
  usdE8: 10n ** 8n,
}

/** Trades of the days from day 1 on, and of some hours around them, in the order of the chain. */
export const tradesOfDays = (days: number, minLength = 1, maxLength = 60) =>
  fc.array(tradeWithin(days), { minLength, maxLength }).map((made): PricedTrade[] => {
    const places = new Map<number, number>()
    return [edge(DAY_BLOCKS - 6), ...made, edge(lastBlock(days) + 1)]
      .sort((a, b) => a.block - b.block)
      .map(({ block, hops, usdE8, trader, flags, isHeld }) => {
        const transactionIndex = places.get(block) ?? 0
        places.set(block, transactionIndex + 1)
        const made = hops.map(({ pool, from, step, amountIn, amountOut }, n) => {
          const tokens = pool.coins ?? [pool.token0, pool.token1]
          const tokenOf = (at: number) => tokens[at % tokens.length] ?? ONE
          return {
            ...{ pool, logIndex: transactionIndex * 8 + n, recipient: null, reservesBefore: null },
            ...{ tokenIn: tokenOf(from), amountIn, nativeIn: false },
            ...{ tokenOut: tokenOf(from + (tokens.length === 2 ? 1 : step)), amountOut, nativeOut: false },
          }
        })
        const [first, last] = [made[0], made.at(-1)]
        if (first === undefined || last === undefined) throw new Error('a trade has hops')
        const values = hops.map((each, n) => (isHeld && n === 0 && hops.length === 1 ? usdE8 : each.usdE8))
        return {
          ...{ blockNumber: block, timestamp: timeOf(block), transactionIndex, position: 0 },
          ...{ txHash: hexNumber(block * 100 + transactionIndex, 64), trader, settledFor: flags === 1 ? ONE : null },
          ...{ byToken: false, isPartial: false, hops: made, hopsUsdE8: values, usdE8 },
          ...{ source: usdE8 === null ? null : ('anchor' as const), flags },
          sell: { token: first.tokenIn, amount: first.amountIn, native: false },
          buy: { token: last.tokenOut, amount: last.amountOut + (isHeld ? 0n : 1n), native: !isHeld },
        }
      })
      .filter(({ buy }) => buy.amount < 2n ** 256n)
  })

export const anyTrades = tradesOfDays(1)

function timeOf(block: number): number {
  return MIDNIGHT + block * BLOCK_S
}

function movesOf(trades: readonly PricedTrade[]): PricedMove[] {
  return trades.map(({ blockNumber, timestamp, transactionIndex, txHash, trader, usdE8, hops, sell }) => ({
    ...{ blockNumber, timestamp, transactionIndex, txHash, account: trader, usdE8 },
    logIndex: transactionIndex * 8 + 7,
    ...{ pool: hops[0]?.pool.address ?? ONE, coins: [ONE, TWO], isAdded: blockNumber % 2 === 0 },
    amounts: blockNumber % 5 === 0 ? null : [sell.amount, 2n ** 200n, 0n],
    range:
      blockNumber % 3 === 0 ? null : { tickLower: -blockNumber, tickUpper: 7, liquidity: sell.amount % 2n ** 128n },
  }))
}

const header = (number: number): BlockHeader => ({
  number,
  hash: hexNumber(number, 64),
  parentHash: hexNumber(number - 1, 64),
  timestamp: timeOf(number),
})

export interface World {
  url: string
  database: Database
  store: IndexerStore
  objects: ObjectStore
  lake: string
  work: string
}

const TABLES =
  'network, token, listed_symbol, pool, swap, swap_hop, pool_candle, token_volume, token_flow, hour_volume, day_total, day_trader, day_address_count, block, covered_range, kept_days, lake_day, awaited_value, liquidity_event, list_cell, network_activity, unread_pool, pool_state'

export async function openWorld(): Promise<World> {
  const url = await testDatabase()
  const database = await openDatabase(url, { applicationName: 'test', max: 6 })
  closeAfter(() => database.close())
  const lake = temporaryFolder()
  const work = join(lake, '.writing')
  return { url, database, store: openIndexerStore(database, NETWORK), lake, work, objects: folderStore(lake, work) }
}

export async function emptyWorld({ database }: World): Promise<void> {
  await database.pool.query(`TRUNCATE ${TABLES}`)
}

/** Fills an empty database with day 0, some complete days, by default day 1, and a day after them. */
export async function fillWorld(world: World, trades: readonly PricedTrade[], days = 1): Promise<void> {
  await emptyWorld(world)
  await fillNetwork(world.store, NETWORK, trades, days)
}

/** Does so for one network. */
export async function fillNetwork(
  store: IndexerStore,
  network: NetworkName,
  trades: readonly PricedTrade[],
  days: number,
): Promise<void> {
  const deployment = {
    ...{ network, wrappedNative: ANCHOR, stablecoins: [], anchors: [], dexes: [DEX], finalityDepth: 4 },
    tokens: [],
  } as const
  await store.register({
    genesisHash: hexNumber(99, 64),
    deployment,
    start: { number: 1, timestamp: timeOf(1) },
  })
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  await store.configure(lease.epoch, deployment)
  const [begin, middle, end] = [DAY_BLOCKS - 6, DAY_BLOCKS + 30, lastBlock(days) + 1]
  for (const [from, to] of [
    [middle + 1, end],
    [begin, middle],
  ] as const) {
    await commit(store, trades, from, to)
  }
  const blocks = [end + 1, end + 2].map(header)
  const [first, head] = blocks
  if (first === undefined || head === undefined) throw new Error('there are two blocks')
  const range = { from: first.number, to: head.number, fromTime: first.timestamp, toTime: head.timestamp }
  const live = { epoch: lease.epoch, rollbackTo: null, blocks, head, finalNumber: first.number, chainHead: head }
  await store.commitHead({
    ...{ ...range, trades: [], moves: [], pools: [], tokens: [] },
    live: { ...live, isProven: true, poolStates: [], tickDeltas: [] },
  })
  await lease.release()
}

async function commit(store: IndexerStore, trades: readonly PricedTrade[], from: number, to: number): Promise<void> {
  const within = trades.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
  const times = { fromTime: timeOf(from), toTime: timeOf(to) }
  await store.commitHistory({
    from,
    to,
    ...times,
    trades: within,
    moves: movesOf(within),
    pools: POOLS,
    tokens: TOKENS,
  })
}

export const DAY = FIRST_DAY + 1
export const DATE = dateOfDay(DAY)

export function dayWriter({ database, objects, work }: World, over: Partial<DayWriter> = {}): DayWriter {
  const quiet = { log: { warn: () => undefined }, assertAlone: () => undefined }
  return { store: openLakeStore(database), objects, work, codeVersion: 'test', ...quiet, ...over }
}

export function writeDay1(world: World, over: Partial<DayWriter> = {}) {
  return writeDay(dayWriter(world, over), { network: NETWORK, day: DAY }, new AbortController().signal)
}

/** Seconds since 1970. */
export const startOf = (day: number) => MIDNIGHT + day * 86_400

/** Fills an empty database like `fillWorld`, writes the complete days to the lake, and drops day 0. */
export async function writeWorld(world: World, trades: readonly PricedTrade[], days: number): Promise<void> {
  await fillWorld(world, trades, days)
  for (let day = 1; day <= days; day++) {
    const key = { network: NETWORK, day: FIRST_DAY + day }
    const manifest = await writeDay(dayWriter(world), key, new AbortController().signal)
    if (manifest === null) throw new Error(`day ${day} was not written`)
  }
  await dropBefore(world, 1)
}

/** Drops days before this one, as if the network's data began there. */
export async function dropBefore({ database, store }: World, day: number): Promise<void> {
  await database.pool.query('UPDATE network SET start_time = to_timestamp($1)', [startOf(day)])
  await store.dropDaysBefore(FIRST_DAY + day)
}
