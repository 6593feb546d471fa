import {
  type Address,
  type Block,
  type Dex,
  type Hex,
  type Log,
  ReferenceBook,
  referenceBlocks,
  type Token,
} from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { addressesOf, madeDeployment, pairDex, pairPool, verifyingChain, word } from '../../test/scene/made-values.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { BlockProcessor, type DroppedLogs, type ReceiptReader, watchedTopics } from './process-blocks.ts'

const [USDC, WETH, FOO, FACTORY, MARKET, PAIR] = addressesOf('01', '03', 'f0', 'fa', 'a1', 'a2')
const SYNC = id('Sync(uint112,uint112)') as Hex
const SWAP = id('Swap(address,uint256,uint256,uint256,uint256,address)') as Hex
const [E6, E8, E18] = [10n ** 6n, 10n ** 8n, 10n ** 18n]
const NOW = 1_700_000_000

const dex = pairDex(FACTORY)
const deployment = madeDeployment({ wrappedNative: WETH, stablecoins: [USDC], dexes: [dex] })
const pools = [pairPool(MARKET, dex, USDC, WETH), pairPool(PAIR, dex, WETH, FOO)]
const token = (address: Address, decimals: number | null): Token => ({ address, symbol: '', name: '', decimals })

const words = (...values: bigint[]): Hex => `0x${values.map((value) => word(value).slice(2)).join('')}`

function log(address: Address, transactionIndex: number, logIndex: number, topics: Hex[], data: Hex): Log {
  return { address, topics, data, transactionIndex, logIndex }
}

function sync(address: Address, transaction: number, index: number, reserve0: bigint, reserve1: bigint): Log {
  return log(address, transaction, index, [SYNC], words(reserve0, reserve1))
}

/** `amounts` are in0, in1, out0 and out1. */
function swap(address: Address, transaction: number, index: number, ...amounts: [bigint, bigint, bigint, bigint]): Log {
  return log(address, transaction, index, [SWAP, word(FACTORY), word(FACTORY)], words(...amounts))
}

function block(number: number, timestamp: number, logs: Log[]): Block {
  const hash = word(number)
  const transactions = new Map(
    logs.map(({ transactionIndex }) => [transactionIndex, { hash, from: FACTORY, value: 0n }] as const),
  )
  return { number, hash, parentHash: word(number - 1), timestamp, transactions, logs }
}

async function processAll(blocks: readonly Block[], tokens: readonly Token[], onDropped?: (logs: DroppedLogs) => void) {
  // Only factories are called, and they confirm nothing.
  const calls = verifyingChain({ callMany: async (asked) => asked.map(() => null), callElsewhere: async () => null })
  const transactionLogs: ReceiptReader['transactionLogs'] = async (places) => places.map(({ logs = [] }) => [...logs])
  const registry = new PoolRegistry(calls, deployment, { pools, tokens })
  const decimals = new Map([
    [USDC, 6],
    [WETH, 18],
  ])
  const config = { wrappedNative: WETH, stablecoins: [USDC], anchors: [], decimals, ...referenceBlocks('eth') }
  const state = { kind: 'pair', reserve0: 3_000_000n * E6, reserve1: 1_000n * E18 } as const
  const book = new ReferenceBook(
    config,
    [{ address: MARKET, token0: USDC, token1: WETH, tickSpacing: 1 }],
    [{ pool: MARKET, event: { type: 'price', state }, block: { number: 0, timestamp: NOW - 60 } }],
  )
  return new BlockProcessor(deployment, registry, { transactionLogs }, { onDropped }).process(blocks, book, 'latest')
}

async function process(...given: Parameters<typeof processAll>) {
  return (await processAll(...given)).trades
}

const sale = (transaction: number, index: number) => swap(PAIR, transaction, index, E18, 0n, 0n, 5n)
const KNOWN = [token(USDC, 6), token(WETH, 18), token(FOO, 18)]

// The attack on bZx, 18 February 2020 (PeckShield, "bZx Hack II Full Disclosure"). The contract read
// prices between the steps of a transaction that moved their pool with a flash loan.
//
//   transaction 0: the market is moved to 300,000   transaction 1: a sale   transaction 2: the market is moved back
test('a market that is moved within a block has the price of the blocks before', async () => {
  const logs = [
    sync(MARKET, 0, 0, 30_000_000n * E6, 100n * E18),
    swap(MARKET, 0, 1, 27_000_000n * E6, 0n, 0n, 900n * E18),
    sync(PAIR, 1, 2, 2n * E18, 95n),
    sale(1, 3),
    sync(MARKET, 2, 4, 3_030_000n * E6, 1_000n * E18),
    swap(MARKET, 2, 5, 0n, 900n * E18, 26_970_000n * E6, 0n),
  ]
  const later = [6, 10].map((number) => block(number, NOW + 12 * (number - 5), [sale(0, 0)]))
  const trades = await process([block(5, NOW, logs), ...later], KNOWN)
  const sales = trades.filter(({ buy }) => buy.token === FOO)
  expect(sales.map(({ usdE8 }) => usdE8)).toEqual([3_000n * E8, 3_000n * E8, 3_030n * E8])
})

//   transaction 0: the market moves   transaction 1: liquidity for FOO and WETH   transaction 2: some of it is removed
test('liquidity has the prices of the blocks before, and only that of verified pools is stored', async () => {
  const MINT = id('Mint(address,uint256,uint256)') as Hex
  const BURN = id('Burn(address,uint256,uint256,address)') as Hex
  const minted = (address: Address, transaction: number, index: number) =>
    log(address, transaction, index, [MINT, word(FACTORY)], words(2n * E18, 5n))
  const logs = [
    sync(MARKET, 0, 0, 3_030_000n * E6, 1_000n * E18),
    minted(PAIR, 1, 1),
    minted(FOO, 1, 2),
    log(PAIR, 2, 3, [BURN, word(FACTORY), word(FOO)], words(E18, 2n)),
  ]
  const { moves } = await processAll([block(5, NOW, logs), block(10, NOW + 60, [minted(PAIR, 0, 0)])], KNOWN)
  const of = { pool: PAIR, account: FACTORY, coins: [WETH, FOO], range: null }
  expect(moves).toMatchObject([
    { ...of, blockNumber: 5, logIndex: 1, isAdded: true, amounts: [2n * E18, 5n], usdE8: 6_000n * E8 },
    { ...of, blockNumber: 5, logIndex: 3, isAdded: false, amounts: [E18, 2n], usdE8: 3_000n * E8 },
    { ...of, blockNumber: 10, logIndex: 0, isAdded: true, usdE8: 6_060n * E8 },
  ])
})

test('a trade with a token that could not be read yet has no value, and stores the awaited one', async () => {
  const value = { usdE8: 3_000n * E8, source: 'native', flags: 0 }
  const [known] = await process([block(5, NOW, [sale(0, 0)])], KNOWN)
  expect(known).toMatchObject(value)
  expect(known).not.toHaveProperty('awaited')
  const [unknown] = await process([block(5, NOW, [sale(0, 0)])], KNOWN.slice(0, 2))
  expect(unknown).toMatchObject({ usdE8: null, source: null, flags: 0, awaited: value })
  const [unreadable] = await process([block(5, NOW, [sale(0, 0)])], [...KNOWN.slice(0, 2), token(FOO, null)])
  expect(unreadable).toMatchObject({ usdE8: null, source: null, flags: 0 })
  expect(unreadable).not.toHaveProperty('awaited')
})

test('logs without a topic are not among the watched topics', () => {
  const core: Dex = { name: 'core', kind: 'ekubo', factory: FACTORY }
  const topics = watchedTopics({ dexes: [dex, core] })
  expect(topics).toContain(SWAP)
  expect(topics.length).toBeGreaterThan(watchedTopics({ dexes: [dex] }).length)
  for (const topic of topics) expect(topic).toMatch(/^0x[0-9a-f]{64}$/)
})

test('logs of unverified contracts and of another shape are dropped, and reported', async () => {
  const forged = [swap(USDC, 0, 0, E18, 0n, 0n, 5n), sync(USDC, 0, 1, E18, E18)]
  const misshapen: Log = { ...sync(PAIR, 1, 2, E18, E18), data: '0x' }
  const reported: DroppedLogs[] = []
  const trades = await process([block(5, NOW, [...forged, misshapen, sale(2, 3)])], KNOWN, (logs) =>
    reported.push(logs),
  )
  expect(trades).toHaveLength(1)
  expect(reported).toEqual([{ unverified: 2, malformed: 1, emitters: [{ emitter: USDC, from: 5, to: 5 }] }])
})
