import type { Devnet } from '@dexfeed/devnet'
import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { beforeAll, expect, inject, test } from 'vitest'
import { indexedDatabase } from '../scene/indexed-database.ts'
import { deploymentOf, headOf, runIndexer } from '../scene/run-indexer.ts'
import { testDevnet } from '../scene/test-devnet.ts'

let devnet: Devnet<'eth'>
/** The block at which the first test begins. Later tests change only blocks above it. */
let base: { number: number; hash: string }

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['eth'], historyBlocks: 66 })
  base = await head()
})

const head = () => headOf(devnet.chains.eth)

async function run(databaseUrl: string) {
  const { rpcUrl } = devnet.chains.eth
  const running = await runIndexer({ databaseUrl, network: 'eth', rpcUrl, deployment: deploymentOf(devnet, 'eth') })
  return { ...running, databaseUrl }
}

/** Runs an indexer that continues from the base. */
async function indexer() {
  const { rpcUrl } = devnet.chains.eth
  return run(await indexedDatabase({ network: 'eth', rpcUrl, deployment: deploymentOf(devnet, 'eth') }, base))
}

async function cleanIndex() {
  const clean = await run(await testDatabase())
  await clean.caughtUp(await head())
  await clean.stop()
  return dumpTables(clean.databaseUrl)
}

//   A - B - C          indexed
//    \
//     B'- C'- D'       the chain's branch: afterwards, the database equals that of a clean index
test.each(inject('scale') > 1 ? [1, 3, 10] : [3])(
  'after a reorg of %i blocks the database is that of a clean index of the winning branch',
  async (depth) => {
    const { rpc } = devnet.chains.eth
    const watching = await indexer()
    await devnet.chains.eth.trade(depth)
    await watching.caughtUp(await head())
    const before = await dumpTables(watching.databaseUrl)
    await rpc.send('anvil_reorg', [depth, []])
    await devnet.chains.eth.trade(2)
    await watching.caughtUp(await head())
    await watching.stop()
    const after = await dumpTables(watching.databaseUrl)
    expect(after).toEqual(await cleanIndex())
    expect(after.swap).not.toEqual(before.swap)
  },
  120_000,
)

test('a reorg while the indexer is down is found before new rows are written', async () => {
  const { rpc } = devnet.chains.eth
  const first = await indexer()
  await devnet.chains.eth.trade(4)
  await first.caughtUp(await head())
  await first.stop()
  await rpc.send('anvil_reorg', [4, []])
  await devnet.chains.eth.trade(3)
  const second = await run(first.databaseUrl)
  await second.caughtUp(await head())
  await second.stop()
  expect(await dumpTables(first.databaseUrl)).toEqual(await cleanIndex())
}, 120_000)

//   A - B - C          indexed, then down
//    \
//     B'- C'- D'       taken in two steps: up to the height where following restarted, then beyond
test('a new branch that first reaches exactly the height where following began is followed further', async () => {
  const { rpc } = devnet.chains.eth
  const first = await indexer()
  await devnet.chains.eth.trade(2)
  await first.caughtUp(await head())
  await first.stop()
  const second = await run(first.databaseUrl)
  await second.caughtUp(await head())
  await rpc.send('anvil_reorg', [2, []])
  await second.caughtUp(await head())
  await devnet.chains.eth.trade(1)
  await second.caughtUp(await head())
  await second.stop()
  expect(await dumpTables(first.databaseUrl)).toEqual(await cleanIndex())
}, 120_000)
