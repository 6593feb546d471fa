import { LiveMarketFollower } from '@dexfeed/api/live-market'
import { bestRoute, type Market } from '@dexfeed/dex'
import { headOf, type RunningIndexer, runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { type Database, openDatabase, openReader } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { beforeEach, expect, test } from 'vitest'
import { startVaultWorld, type VaultWorld } from './vault-world.ts'

const UNIT = 10n ** 18n
const PAIRS = [0, 1, 2].flatMap((from) => [0, 1, 2].flatMap((to) => (from === to ? [] : [[from, to] as const])))
const AMOUNTS = [1n, UNIT / 1_003n, UNIT / 3n, 11n * UNIT]

let world: VaultWorld
let databaseUrl: string
let database: Database
let following: LiveMarketFollower

beforeEach(async () => {
  world = await startVaultWorld()
  closeAfter(() => world.chain.stop())
  databaseUrl = await testDatabase()
  database = await openDatabase(databaseUrl, { applicationName: 'test', max: 2 })
  closeAfter(() => database.close())
  following = new LiveMarketFollower('eth', openReader(database))
})

const start = () => {
  const { deployment, chain } = world
  return runIndexer({ databaseUrl, network: 'eth', rpcUrl: chain.url, deployment })
}

async function fresh(): Promise<LiveMarketFollower> {
  const loaded = new LiveMarketFollower('eth', openReader(database))
  await loaded.refresh()
  return loaded
}

function quotesOf({ current }: LiveMarketFollower): (bigint | null)[] {
  const market: Market = current?.market ?? expect.fail('no market')
  return PAIRS.flatMap(([from, to]) =>
    AMOUNTS.map(
      (amount) =>
        bestRoute(market, { sell: token(from), buy: token(to), amountIn: amount, maxHops: 1 })?.amountOut ?? null,
    ),
  )
}

const token = (at: number) => world.tokens[at] ?? expect.fail('no token')

function expected(): Promise<(bigint | null)[]> {
  return Promise.all(
    PAIRS.flatMap(([from, to]) => AMOUNTS.map(async (amount) => (await world.quote(from, to, amount)) || null)),
  )
}

/** Expects that a market which followed the chain and a freshly loaded one both quote what the vault pays. */
async function expectVaultQuotes(indexer: RunningIndexer): Promise<void> {
  await indexer.caughtUp(await headOf(world.chain))
  await following.refresh()
  const vault = await expected()
  expect(vault.filter((quote) => quote !== null).length).toBeGreaterThan(vault.length / 2)
  expect(quotesOf(following)).toEqual(vault)
  expect(quotesOf(await fresh())).toEqual(vault)
}

//   swap    swap    join    swap
//   --+-------+-------+-------+-->   each makes the state unknown, and it is read again
test('after each event of a pool with a formula, its quotes are those of the contract', async () => {
  const indexer = await start()
  await world.swap(0, 1, UNIT)
  await expectVaultQuotes(indexer)
  await world.swap(2, 0, 5n * UNIT)
  await expectVaultQuotes(indexer)
  await world.join([UNIT, 0n, 40n * UNIT])
  await expectVaultQuotes(indexer)
  await world.swap(1, 2, 99n * UNIT)
  await expectVaultQuotes(indexer)
})

//   swap -- swap -- swap               the branch that loses
//      `--- join ---- swap -- swap     the winning one
test('after a reorg the quotes are those of the winning branch, and none is of the other', async () => {
  const indexer = await start()
  await world.swap(0, 1, UNIT)
  await expectVaultQuotes(indexer)
  const before = await world.chain.rpc.send('evm_snapshot', [])
  await world.swap(0, 1, 30n * UNIT)
  await world.swap(1, 2, 60n * UNIT)
  await expectVaultQuotes(indexer)
  await world.chain.rpc.send('evm_revert', [before])
  await world.join([0n, 77n * UNIT, UNIT])
  await world.chain.mine([])
  await world.chain.mine([])
  await expectVaultQuotes(indexer)

  const again = await world.chain.rpc.send('evm_snapshot', [])
  await world.swap(2, 1, UNIT)
  await expectVaultQuotes(indexer)
  await world.chain.rpc.send('evm_revert', [again])
  // The state from before the fork is valid again.
  await world.chain.mine([])
  await world.chain.mine([])
  await expectVaultQuotes(indexer)
})

//   vault --- pool of the named factory
//     `------ pool of a stranger's factory: it pays ten times as much, to whom it likes
test('a pool of a factory that the deployment does not name is read, and not quoted', async () => {
  const indexer = await start()
  await world.swap(0, 1, UNIT)
  await world.offerByStranger(1)
  await expectVaultQuotes(indexer)
  const read = 'SELECT DISTINCT ON (pool) formula FROM pool_state ORDER BY pool, block_number DESC'
  await expect
    .poll(async () => (await database.pool.query(read)).rows.map(({ formula }) => formula).sort())
    .toEqual(['balancer-v2-weighted', 'not-quoted'])
  const { rows } = await database.pool.query('SELECT count(*)::int AS swaps FROM swap')
  expect(rows).toEqual([{ swaps: 2 }])
  await expectVaultQuotes(indexer)
})

test('events during a restart of the indexer change the quotes, too', async () => {
  const indexer = await start()
  await world.swap(0, 1, UNIT)
  await expectVaultQuotes(indexer)
  await indexer.stop()
  await world.swap(1, 0, 500n * UNIT)
  await world.join([5n * UNIT, 0n, 0n])
  await expectVaultQuotes(await start())
})
