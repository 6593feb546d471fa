import { openChain } from '@dexfeed/chain'
import { bestRoute } from '@dexfeed/dex'
import type { Database } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { beforeEach, expect, test } from 'vitest'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { snapshotPools } from '../src/pools/pool-snapshot.ts'
import { type AlgebraKind, artifactOf } from './scene/algebra-contracts.ts'
import { type AlgebraScene, openAlgebraScene, storedMarket } from './scene/algebra-scene.ts'
import type { Receipt } from './scene/local-chain.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { headOf, type RunningIndexer, runIndexer } from './scene/run-indexer.ts'

const ONE = 10n ** 18n
const BEFORE_SWAP = 1
const AFTER_SWAP = 2
const DYNAMIC_FEE = 128

let scene: AlgebraScene
let databaseUrl: string
let database: Database
let indexer: RunningIndexer | null = null

beforeEach(async () => {
  indexer = null
  databaseUrl = await testDatabase()
  ;({ database } = await openStore(databaseUrl, 'polygon'))
})

async function follow() {
  const { chain, deployment } = scene
  indexer ??= await runIndexer({ databaseUrl, network: 'polygon', rpcUrl: chain.url, deployment })
  await indexer.caughtUp(await headOf(chain))
}

async function open(kind: AlgebraKind) {
  scene = await openAlgebraScene(kind)
  await follow()
}

async function quote(): Promise<bigint | null> {
  const [sell, buy] = scene.tokens
  return (
    bestRoute(await storedMarket(database), { sell: sell.address, buy: buy.address, amountIn: ONE })?.amountOut ?? null
  )
}

/** Returns what an indexer reads that finds the pool now. */
async function resync() {
  const { chain, deployment, pool } = scene
  const [dex] = deployment.dexes
  const [token0, token1] = scene.tokens.map(({ address }) => address)
  if (!dex || !token0 || !token1) throw new Error('no deployment')
  const client = openChain({
    network: 'polygon',
    urls: [chain.url],
    topics: watchedTopics(deployment),
    pollMs: 100,
    log: quiet,
  })
  closeAfter(() => client.close())
  const head = await client.head()
  const found = { address: pool.address, dex, token0, token1, fee: 0, tickSpacing: 0 }
  return snapshotPools(client, [found], head)
}

async function expectTrade(receipt: Receipt) {
  const swap = scene.pool.parse(receipt).find(({ name }) => name === 'Swap')
  const { rows } = await database.pool.query(`SELECT sell_amount, buy_amount FROM swap WHERE block_number = $1`, [
    receipt.blockNumber,
  ])
  expect(rows).toEqual([{ sell_amount: String(swap?.args.amount0), buy_amount: String(-swap?.args.amount1) }])
}

test('an Integral pool with a plugin that is called before swaps is not quoted, though its trades are read', async () => {
  await open('algebra-integral')
  const { chain, pool } = scene
  const plugin = await chain.deploy(artifactOf('algebra-integral', 'core', 'test/MockPoolPlugin'), pool.address)
  await plugin.send('setPluginFees', 5000, 4000)
  await pool.send('setPlugin', plugin.address)
  await pool.send('setPluginConfig', AFTER_SWAP)
  await follow()
  expect(await quote()).toBe(await scene.quoted(true, ONE))

  await pool.send('setPluginConfig', AFTER_SWAP | BEFORE_SWAP | DYNAMIC_FEE)
  const swapped = await scene.swap(true, ONE)
  expect(
    scene.pool
      .parse(swapped)
      .find(({ name }) => name === 'SwapFee')
      ?.args.toArray()
      .slice(1),
  ).toEqual([5000n, 4000n])
  await follow()
  expect(await quote()).toBeNull()
  expect(await resync()).toEqual({ states: [], ticks: [] })
  await expectTrade(swapped)

  await pool.send('setPluginConfig', 0)
  await pool.send('setFee', 700)
  await follow()
  expect(await quote()).toBe(await scene.quoted(true, ONE))
})

test('a 1.9 pool with a limit order is not quoted, though its trades are read', async () => {
  await open('algebra-v1.9')
  const { algebra, tokens } = scene
  const orders = await algebra.deployPeriphery('LimitOrderManager')
  for (const token of tokens) await token.send('approve', orders.address, 2n ** 255n)
  expect(await quote()).not.toBeNull()
  const order = [tokens[0].address, tokens[1].address, false, 10n * ONE, 7140]
  await orders.send('addLimitOrder', order)
  const swapped = await scene.swap(true, ONE)
  await follow()
  expect(await quote()).toBeNull()
  await expectTrade(swapped)

  expect(await resync()).toEqual({ states: [], ticks: [] })
})
