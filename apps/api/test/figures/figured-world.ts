import { type BlockHeader, DAY_S, type Hex, HOUR_S, type Pool, type PoolStateAt, type PricedTrade } from '@dexfeed/dex'
import { type IndexerStore, openDatabase, openIndexerStore, type WriterLease } from '@dexfeed/store'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { closeAfter } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { type ApiFixture, NOON } from '../api-fixture.ts'
import { ONE, openWithHops, POOLS, pool, THREE, TWO, tradeOf } from '../made-hops.ts'

// ONE is the wrapped coin (18 decimals), TWO a stablecoin (6), THREE an unlisted token (0), and FAKE calls itself USDC.
export const FAKE = hexNumber(0xfa4e)
export const [A0, A1] = [POOLS[0], POOLS[1]]
export const DUST = pool(0xd0, [ONE, TWO], 'uniswap-v2')
export const FAKE_ONE = pool(0xd1, [FAKE, ONE], 'uniswap-v2')
export const FAKE_THREE = pool(0xd2, [FAKE, THREE], 'uniswap-v2')
export const RANGE = { ...pool(0xd3, [THREE, ONE], 'uniswap-v3'), tickSpacing: 60 }
const E18 = 10n ** 18n

/** The API, and a writer to its database. */
export interface FiguredWorld {
  api: ApiFixture
  store: IndexerStore
  lease: WriterLease
}

/** Opens an API on hops of three days, an hour after the last of them. */
export async function openFiguredWorld(): Promise<FiguredWorld> {
  const api = await openWithHops()
  const database = await openDatabase(api.ownerUrl, { applicationName: 'test' })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, 'bsc')
  const deployment = { network: 'bsc', wrappedNative: ONE, stablecoins: [TWO], anchors: [] } as const
  const beside = { dexes: [], tokens: [], finalityDepth: 4 }
  const start = { number: 1, timestamp: NOON - 3 * DAY_S }
  await store.register({ genesisHash: hexNumber(56, 64), deployment, start })
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  await store.configure(lease.epoch, { ...deployment, ...beside })
  closeAfter(() => lease.release())
  api.setTime(NOON + HOUR_S)
  return { api, store, lease }
}

const hashOf = (number: number, branch: number) => hexNumber(branch * 1_000_000 + number, 64)
const timeOf = (number: number) => NOON + (number - 400) * 120

/** Commits blocks at the head with one trade each; each branch has other trades. */
export async function follow(
  { store, lease }: FiguredWorld,
  [from, to]: readonly [number, number],
  branch: number,
  rollbackTo: number | null,
  created: { pools: readonly Pool[]; poolStates: readonly PoolStateAt[] } = { pools: [], poolStates: [] },
): Promise<void> {
  const blocks: BlockHeader[] = []
  for (let number = from; number <= to; number++) {
    const parentHash = hashOf(number - 1, number - 1 > (rollbackTo ?? 400) ? branch : number === 401 ? 0 : 1)
    blocks.push({ number, hash: hashOf(number, branch), parentHash, timestamp: timeOf(number) })
  }
  const head = blocks.at(-1)
  if (head === undefined) throw new Error('no blocks')
  const trades = blocks.map(({ number, timestamp }) => tradeAt(number, timestamp, number + 37 * branch))
  const states: [Hex, PoolStateAt['state']][] = [
    [A0.address, { kind: 'pair', reserve0: 1_000n * E18, reserve1: (600_000n + BigInt(branch)) * 10n ** 6n }],
    [A1.address, { kind: 'pair', reserve0: 77n, reserve1: 5n * E18 }],
    // In this small pool, a coin would be worth a million USD.
    [DUST.address, { kind: 'pair', reserve0: 10n ** 12n, reserve1: 10n ** 6n }],
    [FAKE_ONE.address, { kind: 'pair', reserve0: 10n ** 30n, reserve1: 3n * E18 }],
    [FAKE_THREE.address, { kind: 'pair', reserve0: 10n ** 30n, reserve1: 10n ** 30n }],
    [RANGE.address, { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 1_000n * E18 }],
  ]
  const poolStates = states.map(([of, state]) => ({ pool: of, state, blockNumber: head.number }))
  const ticks = branch === 1 && from === 401 ? [-60, 60] : []
  const tickDeltas = ticks.map((tick) => ({
    pool: RANGE.address,
    tick,
    blockNumber: from,
    gross: 1_000n * E18,
    net: BigInt(-Math.sign(tick)) * 1_000n * E18,
  }))
  const rows = {
    trades,
    pools: [...POOLS, DUST, FAKE_ONE, FAKE_THREE, RANGE, ...created.pools],
    creations: created.pools.map(({ address }) => ({
      pool: address,
      blockNumber: from,
      timestamp: timeOf(from),
      transactionIndex: 3,
      txHash: hexNumber(branch * 1_000 + from, 64),
      creator: hexNumber(0xc4ea),
    })),
    tokens: [{ address: FAKE, symbol: 'USDC', name: 'USD Coin', decimals: 6 }],
  }
  const live = { rollbackTo, finalNumber: 395, poolStates: [...poolStates, ...created.poolStates], tickDeltas }
  await store.commitHead(headCommit(lease.epoch, blocks, rows, live))
}

function tradeAt(blockNumber: number, timestamp: number, salt: number): PricedTrade {
  return { ...tradeOf(salt), blockNumber, timestamp, txHash: hexNumber(salt * 1_000 + blockNumber, 64) }
}
