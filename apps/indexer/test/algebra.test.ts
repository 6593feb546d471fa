import { type Address, bestRoute } from '@dexfeed/dex'
import { type Database, openDatabase } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALGEBRA_KINDS } from './algebra-contracts.ts'
import { type AlgebraScene, openAlgebraScene, storedMarket } from './algebra-scene.ts'
import type { Contract, Receipt } from './local-chain.ts'
import { headOf, type RunningIndexer, runIndexer } from './run-indexer.ts'

const ONE = 10n ** 18n
const AMOUNTS = [1n, 999n, ONE / 7n, 3n * ONE, 41n * ONE, 230n * ONE, 999n * ONE]

describe.each(ALGEBRA_KINDS)('%s', (kind) => {
  let scene: AlgebraScene
  let database: Database
  let indexer: RunningIndexer

  beforeAll(async () => {
    scene = await openAlgebraScene(kind)
    const databaseUrl = await testDatabase()
    database = await openDatabase(databaseUrl, { applicationName: 'test', max: 2 })
    indexer = await run(databaseUrl)
    await caughtUp()
  }, 120_000)

  afterAll(async () => {
    await indexer?.stop()
    await database?.close()
    await scene?.chain.stop()
  })

  const run = (databaseUrl: string) =>
    runIndexer({ databaseUrl, network: 'polygon', rpcUrl: scene.chain.url, deployment: scene.deployment })

  const caughtUp = async () => indexer.caughtUp(await headOf(scene.chain))

  async function compareQuotes() {
    const market = await storedMarket(database)
    for (const zeroForOne of [true, false]) {
      const [sell, buy] = (zeroForOne ? scene.tokens : scene.tokens.toReversed()) as [Contract, Contract]
      for (const amount of AMOUNTS) {
        const route = bestRoute(market, sell.address as Address, buy.address as Address, amount)
        const quoted = await scene.quoted(zeroForOne, amount)
        expect(route?.amountOut ?? 0n, `${zeroForOne} ${amount}`).toBe(quoted)
      }
    }
  }

  /** `sold bought` of the pool's Swap events, as ethers reads them. */
  const swapsOf = (receipts: readonly Receipt[]) =>
    receipts.flatMap((receipt) =>
      scene.pool.parse(receipt).flatMap(({ name, args }) => {
        if (name !== 'Swap') return []
        return args.amount0 > 0n ? [`${args.amount0} ${-args.amount1}`] : [`${args.amount1} ${-args.amount0}`]
      }),
    )

  it('its pool proves itself and is read with its fee', async () => {
    const { rows } = await database.pool.query(`SELECT encode(address, 'hex') AS address, dex, fee FROM pool`)
    expect(rows).toEqual([{ address: scene.pool.address.slice(2).toLowerCase(), dex: 'algebra', fee: 0 }])
    await compareQuotes()
  })

  it('quotes are what the Quoter says after every swap, and its trades what its events say', async () => {
    const receipts: Receipt[] = []
    const swaps: [boolean, bigint][] = [
      [true, 5n * ONE],
      [false, 700n * ONE],
      [true, 1n],
      [false, 1800n * ONE],
      [true, 2100n * ONE],
      [true, 900n * ONE],
      [false, 40n * ONE],
    ]
    for (const [zeroForOne, amount] of swaps) {
      receipts.push(await scene.swap(zeroForOne, amount))
      await caughtUp()
      await compareQuotes()
    }
    const { rows } = await database.pool.query<{ line: string }>(
      `SELECT concat_ws(' ', sell_amount, buy_amount) AS line FROM swap ORDER BY block_number`,
    )
    expect(rows.map(({ line }) => line)).toEqual(swapsOf(receipts))
  })
})
