import { type ApiFixture, NOON, openFixture } from '@dexfeed/api/test/api-fixture'
import { type Address, DAY_S, HOUR_S, type Pool, type PricedMove, type PricedTrade, type Token } from '@dexfeed/dex'
import { madeHop, madePool, madeRow } from '@dexfeed/dex/test/made-hop'
import { type EndpointUse, openDatabase, openIndexerStore, type QueueCounts } from '@dexfeed/store'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, seedAddressCount, seedNetwork, seedState, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'

export const WBNB: Address = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
export const USDT: Address = '0x55d398326f99059ff775485246999027b3197955'
const NETWORKS = [
  ['eth', '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', []],
  ['bsc', WBNB, [USDT]],
  ['polygon', '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270', []],
] as const
const E18 = 10n ** 18n
const BLOCKS = 120

export const PAIR: Pool = madePool('0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae', [USDT, WBNB], {
  fee: 2_500,
  dex: { name: 'pancakeswap-v2', kind: 'uniswap-v2', factory: hexNumber(0xfac), feeBps: 25 },
})

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp'

const LISTED: (Token & { symbols: readonly string[] })[] = [
  { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB'] },
  { address: USDT, symbol: 'USDT', name: 'Tether USD', decimals: 18, symbols: ['USDT'] },
  { address: hexNumber(0xbad), symbol: HOSTILE, name: HOSTILE, decimals: 18, symbols: [] },
]

const ENDPOINTS: EndpointUse[] = [
  { endpoint: 1, items: 120, refused: 3, failed: 2, budgetPerS: 50 },
  { endpoint: 3, items: 7, refused: 0, failed: 0, budgetPerS: null },
]
const QUEUE: QueueCounts = { waiting: 5, taken: 2, failed: 1, workers: 3 }

/** Opens an API on three networks. bsc has five days of trades, candles, and a pool with its state. */
export async function openGuideWorld(): Promise<ApiFixture> {
  const ownerUrl = await testDatabase()
  const since = NOON - 5 * DAY_S
  const fill = async (owner: Client) => {
    for (const [network, wrapped, stablecoins] of NETWORKS) {
      const covered = network === 'bsc' ? [] : ([[1, BLOCKS, since, NOON - 3]] as const)
      const head = { number: BLOCKS, time: NOON - 3 }
      await seedNetwork(owner, { network, wrapped, stablecoins, start: { number: 1, time: since }, head, covered })
    }
    await seedTokens(owner, 'bsc', LISTED)
    await seedAddressCount(owner, '2026-11-21', 7, ['bsc'])
    await writeTrades(ownerUrl, since)
    // Uses the database's clock, so that the report stays new.
    await owner.query(
      `INSERT INTO network_activity VALUES (56, now() + interval '1 hour', $1, $2)`,
      [ENDPOINTS, QUEUE].map((value) => JSON.stringify(value)),
    )
    const state = { kind: 'pair', reserve0: 600_000n * E18, reserve1: 1_000n * E18 } as const
    await seedState(owner, { network: 'bsc', pool: PAIR.address, block: BLOCKS, state })
  }
  // `max` leaves some connections free while reads wait for a migration. The timeouts are long because a page reads
  // many routes at once.
  return await openFixture({ ownerUrl, fill, max: 12, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
}

async function writeTrades(ownerUrl: string, since: number): Promise<void> {
  const database = await openDatabase(ownerUrl, { applicationName: 'guide-world' })
  closeAfter(() => database.close())
  const trades = Array.from({ length: BLOCKS }, (_, at) => tradeOf(at + 1, since + (at + 1) * HOUR_S - 3))
  const times = { fromTime: trades[0]?.timestamp ?? 0, toTime: trades.at(-1)?.timestamp ?? 0 }
  await openIndexerStore(database, 'bsc').commitHistory({
    from: 1,
    to: BLOCKS,
    ...times,
    trades,
    moves: trades.map(moveOf),
    pools: [PAIR],
    tokens: [],
  })
}

export async function openHead(ownerUrl: string): Promise<{ add(branch: number): Promise<void> }> {
  const database = await openDatabase(ownerUrl, { applicationName: 'guide-world' })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, 'bsc')
  const lease = await store.acquireWriter(new AbortController().signal)
  closeAfter(() => lease.release())
  const parentHash = hexNumber(BLOCKS, 64)
  return {
    /** On branch 0 adds a block with a trade, on branch 1 replaces that block with an empty one. */
    async add(branch) {
      const head = { number: BLOCKS + 1, hash: hexNumber(1_000 + branch, 64), parentHash, timestamp: NOON - 1 }
      const trades = branch === 0 ? [tradeOf(head.number, head.timestamp)] : []
      const live = { rollbackTo: branch === 0 ? null : BLOCKS, finalNumber: BLOCKS }
      await store.commitHead(headCommit(lease.epoch, [head], { trades, pools: [PAIR] }, live))
    },
  }
}

/** Liquidity that the trader adds in the same block, or removes, in even blocks. */
function moveOf({ blockNumber, timestamp, transactionIndex, txHash, trader, usdE8 }: PricedTrade): PricedMove {
  return {
    blockNumber,
    timestamp,
    transactionIndex,
    logIndex: 2,
    txHash,
    account: trader,
    pool: PAIR.address,
    coins: [USDT, WBNB],
    isAdded: blockNumber % 2 === 1,
    range: null,
    amounts: [600n * BigInt(blockNumber) * E18, BigInt(blockNumber) * E18],
    usdE8: usdE8 && usdE8 * 2n,
  }
}

function tradeOf(block: number, timestamp: number): PricedTrade {
  const [amountIn, amountOut] = [BigInt(block) * E18, 600n * BigInt(block) * E18]
  const usdE8 = 600n * BigInt(block) * 10n ** 8n
  const hop = madeHop(1, [WBNB, amountIn], [USDT, amountOut], { pool: PAIR })
  return madeRow([hop], {
    blockNumber: block,
    timestamp,
    transactionIndex: 0,
    txHash: hexNumber(block, 64),
    trader: hexNumber(0x70 + (block % 7)),
    hopsUsdE8: [usdE8],
    usdE8,
    source: 'stablecoin',
  })
}
