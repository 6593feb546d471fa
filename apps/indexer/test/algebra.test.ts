import { openChain } from '@dexfeed/chain'
import { type Address, bestRoute, type Market, type PoolEvent } from '@dexfeed/dex'
import type { Database } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { beforeAll, describe, expect, it } from 'vitest'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { ReferencePools } from '../src/blocks/reference-pools.ts'
import { PoolRegistry } from '../src/pools/pool-registry.ts'
import { ALGEBRA_KINDS } from './scene/algebra-contracts.ts'
import { type AlgebraScene, openAlgebraScene, storedMarket } from './scene/algebra-scene.ts'
import type { Contract, Receipt } from './scene/local-chain.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { headOf, type RunningIndexer, runIndexer } from './scene/run-indexer.ts'
import { verify } from './scene/scripted-scene.ts'

const ONE = 10n ** 18n
const AMOUNTS = [1n, 999n, ONE / 7n, 3n * ONE, 41n * ONE, 230n * ONE, 999n * ONE, 9000n * ONE]

describe.each(ALGEBRA_KINDS)('%s', (kind) => {
  let scene: AlgebraScene
  let database: Database
  let databaseUrl: string
  let indexer: RunningIndexer

  beforeAll(async () => {
    scene = await openAlgebraScene(kind)
    databaseUrl = await testDatabase()
    ;({ database } = await openStore(databaseUrl, 'polygon'))
    indexer = await run(databaseUrl)
    await caughtUp()
  })

  const place = () =>
    ({ databaseUrl, network: 'polygon', rpcUrl: scene.chain.url, deployment: scene.deployment }) as const
  const run = (url: string) => runIndexer({ ...place(), databaseUrl: url })

  const caughtUp = async () => indexer.caughtUp(await headOf(scene.chain))

  const quote = (market: Market, zeroForOne: boolean, amount: bigint) => {
    const [sell, buy] = (zeroForOne ? scene.tokens : scene.tokens.toReversed()) as [Contract, Contract]
    return (
      bestRoute(market, { sell: sell.address as Address, buy: buy.address as Address, amountIn: amount })?.amountOut ??
      0n
    )
  }

  /** Compares the API's quotes with the real Quoter in the same block. */
  async function compareQuotes() {
    await caughtUp()
    const market = await storedMarket(database)
    for (const zeroForOne of [true, false]) {
      const quoted = await Promise.all(AMOUNTS.map((amount) => scene.quoted(zeroForOne, amount)))
      expect(AMOUNTS.map((amount) => quote(market, zeroForOne, amount))).toEqual(quoted)
    }
  }

  async function compareState() {
    const { isRight, lines } = await verify(place(), { statesAlone: true })
    expect([isRight, lines]).toEqual([true, [expect.stringContaining(' 1 pool states compared, equal')]])
  }

  /** Returns the newest pool state and its initialised ticks, without their block. */
  async function storedState({ pool }: Database) {
    const states = await pool.query(
      `SELECT DISTINCT ON (pool) sqrt_price_x96, tick, liquidity, fee_zero_for_one, fee_one_for_zero, fee_exact
       FROM pool_state ORDER BY pool, block_number DESC`,
    )
    const ticks = await pool.query(
      `SELECT tick, gross, net FROM (
         SELECT DISTINCT ON (tick) * FROM pool_tick ORDER BY tick, block_number DESC
       ) AS newest WHERE gross > 0 ORDER BY tick`,
    )
    return { states: states.rows, ticks: ticks.rows }
  }

  it('its pool proves itself, and is quoted from its read state', async () => {
    const { rows } = await database.pool.query(`SELECT encode(address, 'hex') AS address, dex, fee FROM pool`)
    expect(rows).toEqual([{ address: scene.pool.address.slice(2), dex: 'algebra', fee: 0 }])
    await compareQuotes()
    await compareState()
  })

  it('quotes equal the Quoter’s after every swap, in both directions and across ticks', async () => {
    const swaps = [5n, -700n, -1800n, 2100n, 900n, -40n].map((units) => units * ONE)
    for (const units of swaps) {
      await scene.swap(units > 0n, units > 0n ? units : -units)
      await compareQuotes()
    }
    await compareState()
  })

  it('quotes equal the Quoter’s after several changes in one block', async () => {
    await scene.chain.mine([await scene.enqueueSwap(true, ONE), await scene.enqueueSwap(false, ONE)])
    await compareQuotes()
    // A liquidity change away from the price does not move the fee, but the swap in its block does.
    await scene.chain.mine([await scene.enqueueMint(9000, 12_000, 80n), await scene.enqueueSwap(true, 30n * ONE)])
    await compareQuotes()
    await scene.burnHalf(1)
    await compareQuotes()
    await compareState()
  })

  it('the community’s share of the fee changes no quote', async () => {
    const { chain, pool } = scene
    if (kind === 'algebra-integral') await pool.send('setCommunityVault', chain.account)
    await chain.mine([
      await pool.enqueue('setCommunityFee', ...(kind === 'algebra-v1' ? [100, 200] : [100])),
      await scene.enqueueSwap(false, 3n * ONE),
    ])
    await compareQuotes()
    await compareState()
  })

  it('its trades have the amounts of its Swap events, priced by their stable leg', async () => {
    const swaps = (await allReceipts()).flatMap((receipt) => scene.pool.parse(receipt))
    const expected = swaps.flatMap(({ name, args }) => {
      if (name !== 'Swap') return []
      const [sold, bought] = args.amount0 > 0n ? [args.amount0, -args.amount1] : [args.amount1, -args.amount0]
      const stable: bigint = args.amount1 > 0n ? args.amount1 : -args.amount1
      return [`${sold} ${bought} ${stable / 10n ** 10n}`]
    })
    const { rows } = await database.pool.query<{ line: string }>(
      `SELECT concat_ws(' ', coalesce(amount_in, sell_amount), coalesce(amount_out, buy_amount),
         (swap.volume_usd * 100000000)::numeric(78, 0)) AS line
       FROM swap LEFT JOIN swap_hop USING (chain_id, block_number, transaction_index, position)
       WHERE hop_log_index IS NOT NULL OR swap_hop.volume_usd = swap.volume_usd ORDER BY block_number, transaction_index`,
    )
    expect(expected.length).toBeGreaterThan(8)
    expect(rows.map(({ line }) => line)).toEqual(expected)
  })

  it('its state, moved by events, equals what a new index reads from the contract', async () => {
    const url = await testDatabase()
    const fresh = await run(url)
    await fresh.caughtUp(await headOf(scene.chain))
    await fresh.stop()
    const { database: other } = await openStore(url, 'polygon')
    const [moved, read] = [await storedState(database), await storedState(other)]
    expect(moved).toEqual(read)
    expect(moved.states).toHaveLength(1)
    const { rows } = await database.pool.query('SELECT DISTINCT fee_zero_for_one FROM pool_state')
    // Integral's fee stays until it is set; the others' fees moved with the swaps.
    if (kind === 'algebra-integral') expect(rows).toHaveLength(1)
    else expect(rows.length).toBeGreaterThan(1)
  })

  it('neither a pool of another factory nor a contract that copies the pool’s responses is authentic', async () => {
    const { chain, deployment, pool } = scene
    const client = openChain({
      network: 'polygon',
      urls: [chain.url],
      topics: watchedTopics(deployment),
      pollMs: 100,
      log: quiet,
    })
    closeAfter(() => client.close())
    // The twin returns the pool's own response to every call.
    const twin = await chain.deploy({
      abi: [],
      bytecode: `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${pool.address.slice(2)}5afa3d82803e903d91602b57fd5bf3`,
    })
    const swapOf = (address: Address): PoolEvent => ({
      type: 'swap',
      family: 'concentrated',
      pool: address,
      transactionIndex: 0,
      logIndex: 0,
      amount0: 1n,
      amount1: -1n,
      state: null,
    })
    const registry = new PoolRegistry(client, deployment, { pools: [], tokens: [] })
    await registry.resolve([swapOf(pool.address), swapOf(twin.address)], 'latest')
    expect([...registry.known.pools.keys()]).toEqual([pool.address])
    const dexes = [{ name: 'other', kind, factory: twin.address }]
    const elsewhere = new PoolRegistry(client, { ...deployment, dexes }, { pools: [], tokens: [] })
    await elsewhere.resolve([swapOf(pool.address)], 'latest')
    expect(elsewhere.known.pools.size).toBe(0)
    // The twin's factory returns it as a reference pool for the coin's price.
    const references = new ReferencePools(client, deployment, registry)
    await references.refresh()
    expect(references.pools.map(({ address }) => address)).toEqual([pool.address])
  })

  async function allReceipts(): Promise<Receipt[]> {
    const { number } = await headOf(scene.chain)
    const blocks = await scene.chain.rpc.batch<Receipt[]>(
      Array.from({ length: number + 1 }, (_, at) => ({
        method: 'eth_getBlockReceipts',
        params: [`0x${at.toString(16)}`],
      })),
    )
    return blocks.flat()
  }
})
