import { bestRoute, type Deployment } from '@dexfeed/dex'
import { type Database, openDatabase } from '@dexfeed/store'
import { closeAfter, queryOnce, testDatabase } from '@dexfeed/test-setup'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { storedMarket } from '../../../test/scene/algebra-scene.ts'
import { type LocalChain, startLocalChain } from '../../../test/scene/local-chain.ts'
import { deployOwnFeePair, type OwnFeePair } from '../../../test/scene/own-fee-pair.ts'
import { headOf, type RunOptions, runIndexer } from '../../../test/scene/run-indexer.ts'

const ONE = 10n ** 18n
const AMOUNTS = [1n, 999n, 3n * ONE, 9000n * ONE]

let chain: LocalChain
let world: OwnFeePair
let deployment: Deployment
let databaseUrl: string
let database: Database
let deployed: string

beforeAll(async () => {
  chain = await startLocalChain(137)
  closeAfter(() => chain.stop())
  world = await deployOwnFeePair(chain, 2)
  const [token0, token1] = world.tokens
  deployment = {
    network: 'polygon',
    wrappedNative: token0.address,
    stablecoins: [token1.address],
    anchors: [],
    tokens: [],
    dexes: [
      {
        name: 'fork',
        kind: 'uniswap-v2',
        factory: world.factory.address,
        feeCall: { function: 'swapFee', of: 'pair', denominator: 1000 },
      },
    ],
    finalityDepth: 200,
  }
})

beforeEach(async () => {
  deployed = await chain.rpc.send('evm_snapshot', [])
  databaseUrl = await testDatabase()
  database = await openDatabase(databaseUrl, { applicationName: 'test', max: 2 })
  closeAfter(() => database.close())
})

afterEach(() => chain.rpc.send('evm_revert', [deployed]))

const run = (options: Partial<RunOptions> = {}) =>
  runIndexer({ databaseUrl, network: 'polygon', rpcUrl: chain.url, deployment, ...options })

async function quote(zeroForOne: boolean, amount: bigint): Promise<bigint | null> {
  const [sell, buy] = zeroForOne ? world.tokens : world.tokens.toReversed()
  return (
    bestRoute(await storedMarket(database), {
      sell: sell?.address ?? '0x',
      buy: buy?.address ?? '0x',
      amountIn: amount,
    })?.amountOut ?? null
  )
}

const storedFees = () =>
  queryOnce(
    databaseUrl,
    `SELECT DISTINCT ON (pool) fee_zero_for_one AS paying0, fee_one_for_zero AS paying1 FROM pool_state
     ORDER BY pool, block_number DESC`,
  )

/** Expects the pair to pay out exactly the quoted amount, and not one unit more. */
async function expectQuotesExact(): Promise<void> {
  for (const zeroForOne of [true, false]) {
    const snapshot = await chain.rpc.send('evm_snapshot', [])
    let paid = 0n
    for (const amount of AMOUNTS) {
      await world.pay(zeroForOne, amount - paid)
      paid = amount
      const told = (await quote(zeroForOne, amount)) ?? 0n
      expect([told === 0n || (await world.gives(zeroForOne, told)), await world.gives(zeroForOne, told + 1n)]).toEqual([
        true,
        false,
      ])
    }
    await chain.rpc.send('evm_revert', [snapshot])
  }
}

test('a pair with its own fee pays what is quoted to the unit, whatever its fee', async () => {
  const indexer = await run()
  await indexer.caughtUp(await headOf(chain))
  expect(await storedFees()).toEqual([{ paying0: 2000, paying1: 2000 }])
  await indexer.stop()
  await expectQuotesExact()

  const moving = await run()
  await world.swap(true, 100n * ONE, (await quote(true, 100n * ONE)) ?? 0n)
  await moving.caughtUp(await headOf(chain))
  expect(await storedFees()).toEqual([{ paying0: 2000, paying1: 2000 }])
  await moving.stop()
  await expectQuotesExact()
})

//   the fee is 2       it becomes 15, without an event       compared with the chain: 15
test('a fee that changes without an event is found by comparing states with the chain, and read again', async () => {
  const indexer = await run()
  await world.swap(true, 50n * ONE, ONE)
  await indexer.caughtUp(await headOf(chain))
  await world.setFee(15)
  await indexer.caughtUp(await headOf(chain))
  expect(await storedFees()).toEqual([{ paying0: 2000, paying1: 2000 }])
  await indexer.stop()

  const comparing = await run({ onStates: () => undefined })
  await comparing.warns(/pool states differ from the chain.*fee_zero_for_one.*2000.*15000/)
  await chain.mine([])
  await expect.poll(storedFees).toEqual([{ paying0: 15_000, paying1: 15_000 }])
  await comparing.stop()
  await expectQuotesExact()
})

test('a pair that returns no fee, or takes everything, is not quoted, though its trades are indexed', async () => {
  await world.setFee(1000)
  const indexer = await run()
  await chain.rpc.send('anvil_setStorageAt', [world.pair.address, '0x3', `0x${'0'.repeat(64)}`])
  await world.swap(true, 50n * ONE, ONE)
  await world.setFee(1000)
  const head = await headOf(chain)
  await indexer.follows(head)
  await expect
    .poll(() => queryOnce(databaseUrl, 'SELECT sell_amount FROM swap'))
    .toEqual([{ sell_amount: String(50n * ONE) }])
  expect(await quote(true, ONE)).toBeNull()
  expect(await storedFees()).toEqual([])
  await indexer.stop()
})

/** Returns the fork's deployment with one configured fee for all its pairs. */
const withFee = (feeBps: number | null): Deployment => ({
  ...deployment,
  dexes: deployment.dexes.map(({ feeCall: _, ...dex }) => ({ ...dex, feeBps })),
})
const poolFee = () => queryOnce(databaseUrl, 'SELECT fee FROM pool')

//  configured with one fee for all      restart: the pair's own fee      the fee is unknown      and back
test('after the configured fee changes, quotes do not use the old fee', async () => {
  await world.swap(true, 50n * ONE, ONE)
  const [feeBps, unknown] = [withFee(30), withFee(null)]
  const first = await run({ deployment: feeBps })
  await first.caughtUp(await headOf(chain))
  await first.stop()
  expect([await poolFee(), await storedFees()]).toEqual([[{ fee: 3000 }], [{ paying0: null, paying1: null }]])

  for (const [configured, fee, told] of [
    [deployment, 0, [{ paying0: 2000, paying1: 2000 }]],
    [unknown, 0, []],
    [feeBps, 3000, [{ paying0: null, paying1: null }]],
  ] as const) {
    const indexer = await run({ deployment: configured })
    await expect.poll(poolFee).toEqual([{ fee }])
    await chain.mine([])
    await expect.poll(storedFees).toEqual(told)
    await indexer.caughtUp(await headOf(chain))
    await indexer.stop()
    if (configured === unknown) expect(await quote(true, ONE)).toBeNull()
    if (configured === deployment) await expectQuotesExact()
  }
})

//  first    one fee for all --------- swap --|
//  second   |-- waits: reads the pair's fee --|-- follows
test('the configuration of a waiting indexer counts once it follows', async () => {
  await world.swap(true, 50n * ONE, ONE)
  const first = await run({ deployment: withFee(30) })
  await first.caughtUp(await headOf(chain))
  const second = await run({ role: 'follow' })
  await second.warns(/waiting to be the only writer/)
  await world.swap(true, 50n * ONE, ONE)
  await first.caughtUp(await headOf(chain))
  expect([await poolFee(), await storedFees()]).toEqual([[{ fee: 3000 }], [{ paying0: null, paying1: null }]])
  expect(await queryOnce(databaseUrl, 'SELECT reorgs::int FROM network')).toEqual([{ reorgs: 0 }])
  await first.stop()

  await expect.poll(poolFee).toEqual([{ fee: 0 }])
  await chain.mine([])
  await expect.poll(storedFees).toEqual([{ paying0: 2000, paying1: 2000 }])
  await second.stop()
  await expectQuotesExact()
})
