import { setTimeout as delay } from 'node:timers/promises'
import { LiveMarketFollower } from '@dexfeed/api/live-market'
import { type Address, bestRoute, type Deployment, type Market, missingRanges, ZERO_ADDRESS } from '@dexfeed/dex'
import { startV4World, type V4Key, type V4World } from '@dexfeed/dex/test/uniswap-v4-world'
import { runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { verify } from '@dexfeed/indexer/test/scripted-scene'
import { startSlowNode } from '@dexfeed/indexer/test/slow-node'
import { type IndexedNetwork, openDatabase, openReader } from '@dexfeed/store'
import { closeAfter, queryOnce, testDatabase } from '@dexfeed/test-setup'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const UNIT = 10n ** 18n
const FINALITY_DEPTH = 4
const FINAL_AFTER = 12
let world: V4World
let keys: { native: V4Key; pair: V4Key; hooked: V4Key }
let deployment: Deployment
/** Indexing starts after the pools' Initialize logs. */
let startBlock: number

beforeAll(async () => {
  world = await startV4World(1)
  const [a, b, wrappedNative] = world.tokens
  keys = {
    native: world.key(ZERO_ADDRESS, a, 500, 40),
    pair: world.key(a, b, 3000, 60),
    hooked: world.key(a, b, 3000, 60, world.hooks),
  }
  deployment = {
    network: 'eth',
    wrappedNative,
    stablecoins: [b],
    anchors: [],
    dexes: [{ name: 'v4', kind: 'uniswap-v4', factory: world.manager.address.toLowerCase() as Address }],
    tokens: [],
    finalityDepth: FINALITY_DEPTH,
  }
  for (const key of Object.values(keys)) {
    await world.initialize(key, 7)
    await world.provide(key, -12_000, 12_000, 1_000n * UNIT)
    await world.provide(key, -120, 120, 5_000n * UNIT)
  }
})

beforeEach(async () => {
  startBlock = (await headNow()).number + 1
})

afterAll(() => world?.chain.stop())

async function headNow(): Promise<{ number: number; hash: string }> {
  const block = (await world.chain.rpc('eth_getBlockByNumber', ['latest', false])) as { number: string; hash: string }
  return { number: Number(block.number), hash: block.hash }
}

async function mine(blocks: number, secondsApart = 1): Promise<void> {
  await world.chain.rpc(
    'anvil_mine',
    [blocks, secondsApart].map((number) => `0x${number.toString(16)}`),
  )
}

interface Indexed {
  databaseUrl: string
  isCovered(block: number): Promise<boolean>
  finalNumber(): Promise<number>
  follows(): Promise<void>
  awaited(): Promise<{ blocks: number[]; pools: number }>
  stop(): Promise<void>
  covered(): Promise<IndexedNetwork['covered']>
  market(): Promise<Market>
  rows(): Promise<unknown[]>
  states(): Promise<string[]>
}

async function startIndexer(rpcUrl: string, databaseUrl?: string): Promise<Indexed> {
  const url = databaseUrl ?? (await testDatabase())
  const place = { databaseUrl: url, network: 'eth', rpcUrl, deployment } as const
  const indexer = await runIndexer({ ...place, startBlock })
  const opened = await openDatabase(url, { applicationName: 'test-v4' })
  closeAfter(() => opened.close())
  const reader = openReader(opened)
  const market = new LiveMarketFollower('eth', reader)
  const covered = async () => (await reader.networks())[0]?.covered ?? []
  return {
    databaseUrl: url,
    covered,
    isCovered: async (number) => (await covered()).some(({ from, to }) => from <= number && number <= to),
    finalNumber: async () => (await reader.networks())[0]?.finalNumber ?? expect.fail('nothing is final'),
    follows: async () => indexer.follows(await headNow()),
    async awaited() {
      const [state] = await reader.awaitedKeys()
      return { blocks: state?.blocks.map(({ number }) => number) ?? [], pools: state?.pools ?? 0 }
    },
    stop: () => indexer.stop(),
    async market() {
      const { number } = await headNow()
      while (!(await covered()).some(({ from, to }) => from <= startBlock && to >= number)) await delay(20)
      await indexer.caughtUp(await headNow())
      await market.refresh()
      return market.current?.market ?? expect.fail('no market')
    },
    states: async () => (await verify(place, { statesAlone: true })).lines,
    async rows() {
      const { rows } = await opened.pool.query(
        `SELECT '0x' || encode(tx_hash, 'hex') AS tx, '0x' || encode(sell_token, 'hex') AS sell, sell_native,
           sell_amount::text AS sold, '0x' || encode(buy_token, 'hex') AS buy, buy_native, buy_amount::text AS bought
         FROM swap ORDER BY block_number, transaction_index, position`,
      )
      return rows
    },
  }
}

async function sell(key: V4Key, zeroForOne: boolean, amountIn: bigint) {
  const bought = await world.quote(key, zeroForOne, amountIn)
  const tx = await world.swap(key, zeroForOne, amountIn)
  const leg = (currency: Address) => {
    const native = currency === ZERO_ADDRESS
    return [native ? deployment.wrappedNative : currency, native] as const
  }
  const [[sell, sell_native], [buy, buy_native]] = zeroForOne
    ? [leg(key.currency0), leg(key.currency1)]
    : [leg(key.currency1), leg(key.currency0)]
  return { tx, sell, sell_native, sold: String(amountIn), buy, buy_native, bought: String(bought) }
}

async function compareQuotes(market: Market, key: V4Key): Promise<void> {
  const tokens = [key.currency0, key.currency1].map((token) => {
    return token === ZERO_ADDRESS ? deployment.wrappedNative : token
  }) as [Address, Address]
  for (const zeroForOne of [true, false]) {
    const [from, to] = zeroForOne ? tokens : ([tokens[1], tokens[0]] as const)
    for (const amountIn of [1_000_003n, UNIT, 60n * UNIT + 1n]) {
      const out = await world.quote(key, zeroForOne, amountIn)
      expect(
        bestRoute(market, { sell: from, buy: to, amountIn, maxHops: 1 })?.amountOut,
        `${amountIn} of ${from}`,
      ).toBe(out)
    }
  }
}

test('history and live trades of pools made before the start are rows, and quotes follow the pools to the wei', async () => {
  const expected = [await sell(keys.native, true, UNIT), await sell(keys.hooked, false, 2n * UNIT)]
  expected.push(await sell(keys.pair, true, UNIT / 3n), await sell(keys.native, false, 5n * UNIT))
  await mine(FINAL_AFTER)
  const { market, rows, states } = await startIndexer(world.chain.url)
  const first = await market()
  expect(await rows()).toEqual(expected)
  // Pools with hooks are stored, but not quoted.
  expect([...first.pools()]).toHaveLength(2)
  await compareQuotes(first, keys.native)
  await compareQuotes(first, keys.pair)

  expected.push(await sell(keys.native, true, 30n * UNIT), await sell(keys.pair, false, 40n * UNIT))
  await world.provide(keys.pair, -600, 0, 77n * UNIT)
  await world.setProtocolFee(keys.pair, 250, 1000)
  expected.push(await sell(keys.pair, true, 7n * UNIT), await sell(keys.hooked, true, UNIT))
  const fresh = world.key(ZERO_ADDRESS, world.tokens[1], 10_000, 200)
  await world.initialize(fresh, -300)
  await world.provide(fresh, -2_000, 1_000, 900n * UNIT)
  expected.push(await sell(fresh, true, UNIT))
  const later = await market()
  expect(await rows()).toEqual(expected)
  expect([...later.pools()]).toHaveLength(3)
  for (const key of [keys.native, keys.pair, fresh]) await compareQuotes(later, key)
  expect(await states()).toEqual([expect.stringContaining(' 3 pool states compared, equal')])

  const [a, b] = world.tokens
  const out = await world.quote(fresh, true, await world.quote(keys.native, false, UNIT))
  const hops = bestRoute(later, { sell: a, buy: b, amountIn: UNIT, maxHops: 3 })
  expect(hops?.amountOut).toBeGreaterThanOrEqual(out)
  await world.setProtocolFee(keys.pair, 0, 0)
})

//  start ... swap of V4 ... head        The node withholds the logs of the manager.
//            '- not covered             The follower continues, the block stays a hole.
//                                       Once the logs are there, history fills it.
test('blocks with unknown pools never hold up the head, and are filled in once the pools are known', async () => {
  const held = await withholdingNode()
  const { isCovered, market, rows } = await startIndexer(held.url)
  await mine(1)
  const traded = await sell(keys.pair, true, UNIT)
  await mine(FINAL_AFTER)
  const head = await headNow()
  while (!(await isCovered(head.number))) await delay(20)
  expect(await rows()).not.toContainEqual(traded)
  expect(await isCovered(await blockOf(traded))).toBe(false)
  held.release()
  await market()
  expect(await rows()).toContainEqual(traded)
})

async function withholdingNode() {
  let release = () => {}
  const holdNamed = new Promise<void>((resolve) => {
    release = resolve
  })
  const { url } = await startSlowNode(world.chain.url, { maxBlocks: 1_000, delayMs: 0, holdNamed })
  return { url, release }
}

async function blockOf({ tx }: { tx: string }): Promise<number> {
  const { blockNumber } = (await world.chain.rpc('eth_getTransactionByHash', [tx])) as { blockNumber: string }
  return Number(blockNumber)
}

//  final .. swap - head        The block is skipped, and covered as soon as its key is found, before it is final.
test('a block is covered as soon as the key that it waited for is known, also after a restart', async () => {
  const held = await withholdingNode()
  const first = await startIndexer(held.url)
  const traded = await sell(keys.pair, true, UNIT)
  const number = await blockOf(traded)
  await mine(3)
  await first.follows()
  expect(await first.isCovered(number)).toBe(false)
  held.release()
  await expect.poll(() => first.isCovered(number)).toBe(true)
  expect(await first.finalNumber()).toBeLessThan(number)
  expect(await first.rows()).toContainEqual(traded)
  await first.stop()

  const silent = await withholdingNode()
  const second = await startIndexer(silent.url)
  const again = [await sell(keys.pair, true, UNIT), await sell(keys.pair, false, UNIT)]
  const last = await blockOf(again[1] ?? traded)
  await mine(3)
  await second.follows()
  expect(await second.isCovered(last)).toBe(false)
  await second.stop()
  silent.release()
  const restarted = await startIndexer(world.chain.url, second.databaseUrl)
  await expect.poll(() => restarted.isCovered(last)).toBe(true)
  expect(await restarted.finalNumber()).toBeLessThan(await blockOf(again[0] ?? traded))
  expect((await restarted.rows()).slice(-2)).toEqual(again)
})

//  head - swap - .. - 4        Skipped, and orphaned before its key is found.
//      \ .. swap'- .. - 6      Skipped, covered once the key is found.
test('a block that is orphaned while it waits for a key leaves no rows, and its successor has its own', async () => {
  const held = await withholdingNode()
  const { follows, isCovered, rows, market, finalNumber } = await startIndexer(held.url)
  await mine(2)
  const snapshot = await world.chain.rpc('evm_snapshot', [])
  const orphaned = await sell(keys.pair, true, UNIT)
  await mine(3)
  await follows()
  expect(await isCovered(await blockOf(orphaned))).toBe(false)
  await world.chain.rpc('evm_revert', [snapshot])
  await mine(1)
  const winning = await sell(keys.pair, false, 2n * UNIT)
  const number = await blockOf(winning)
  await mine(5)
  await follows()
  expect(await isCovered(number)).toBe(false)
  held.release()
  await expect.poll(() => isCovered(number)).toBe(true)
  expect(await finalNumber()).toBeLessThan(number)
  await market()
  const found = await rows()
  expect(found).toContainEqual(winning)
  expect(found).not.toContainEqual(orphaned)
  expect(new Set(found.map((row) => JSON.stringify(row))).size).toBe(found.length)
})

//  start .. swap .. swap .. final     The node shows no log of the manager: the blocks between the swaps are covered.
//                                     A day later another node shows the logs: nothing is missing.
test('history is covered except blocks with unknown keys, which are reported, and filled in when a node shows the keys', async () => {
  await mine(2)
  const traded = [await sell(keys.pair, true, UNIT)]
  await mine(3)
  traded.push(await sell(keys.hooked, true, UNIT))
  await mine(FINAL_AFTER + 1)
  const numbers = await Promise.all(traded.map(blockOf))
  const liar = await startSlowNode(world.chain.url, { maxBlocks: 1_000, delayMs: 0, hidesNamed: true })
  const first = await startIndexer(liar.url)
  const gaps = async () => missingRanges({ from: numbers[0] ?? 0, to: (await headNow()).number }, await first.covered())
  const holes = numbers.map((number) => ({ from: number, to: number }))
  await expect.poll(gaps).toEqual(holes)
  const awaited = await first.awaited()
  expect(awaited.blocks).toEqual(expect.arrayContaining(numbers))
  expect(awaited.pools).toBeGreaterThanOrEqual(2)
  await first.stop()

  await mine(100, 1_000)
  // Keys that were not found are searched for again after 5,000 blocks.
  await queryOnce(first.databaseUrl, 'UPDATE key_search SET in_vain_at = in_vain_at - 5000')
  const second = await startIndexer(world.chain.url, first.databaseUrl)
  await second.market()
  expect(await second.rows()).toEqual(expect.arrayContaining(traded))
  expect(await second.awaited()).toEqual({ blocks: [], pools: 0 })
})
