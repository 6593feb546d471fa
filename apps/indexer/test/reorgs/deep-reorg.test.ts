import { setTimeout as delay } from 'node:timers/promises'
import type { Chain } from '@dexfeed/chain'
import type { Devnet } from '@dexfeed/devnet'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { beforeAll, expect, test } from 'vitest'
import { deploymentOf, headOf, runIndexer } from '../scene/run-indexer.ts'
import { verify } from '../scene/scripted-scene.ts'
import { testDevnet } from '../scene/test-devnet.ts'

/** Deeper than the devnet's finality of 64 blocks. */
const DEPTH = 74
let devnet: Devnet<'polygon'>

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['polygon'], historyBlocks: 80 })
})

const head = () => headOf(devnet.chains.polygon)

async function degraded(databaseUrl: string): Promise<string> {
  const client = await connectTo(databaseUrl)
  for (;;) {
    const { rows } = await client.query<{ degraded: string | null }>('SELECT degraded FROM network')
    const reason = rows[0]?.degraded
    if (reason) return reason
    await delay(20)
  }
}

/** Lets the chain know the last final block, as a history job does that begins after the follower's first commit. */
async function knowFinal(databaseUrl: string, chain: Chain): Promise<void> {
  const client = await connectTo(databaseUrl)
  const { rows } = await client.query<{ final: string }>('SELECT final_number AS final FROM network')
  const header = await chain.header(Number(rows[0]?.final))
  if (header === null) throw new Error('the chain lacks its final block')
  chain.knowFinal(header)
}

//   .. - F - A - B - C      F is final
//       \
//        `- X - Y - Z - ..     the node's chain left below it
test('a reorg below the final block stops the network, is reported, and keeps the rows; verify repairs it', async () => {
  const databaseUrl = await testDatabase()
  const { rpcUrl, rpc } = devnet.chains.polygon
  const options = { databaseUrl, network: 'polygon', rpcUrl, deployment: deploymentOf(devnet, 'polygon') } as const
  const chains: Chain[] = []
  const wrap = (chain: Chain) => {
    chains.push(chain)
    return chain
  }
  const indexer = await runIndexer({ ...options, deepReorgMs: 100, wrap })
  await indexer.caughtUp(await head())
  await devnet.chains.polygon.trade(3)
  await indexer.caughtUp(await head())
  for (const chain of chains) await knowFinal(databaseUrl, chain)
  const { swap } = await dumpTables(databaseUrl)
  await rpc.send('anvil_reorg', [DEPTH, []])
  await devnet.chains.polygon.trade(2)
  expect(await degraded(databaseUrl)).toMatch(/polygon went back .* below block \d+ that was taken as final/)
  await indexer.warns(/indexing stopped/)
  expect((await dumpTables(databaseUrl)).swap).toEqual(swap)

  const found = await verify(options)
  expect(found.isRight).toBe(false)
  expect(found.notes.join()).toMatch(/the indexed branch is orphaned: block \d+ is 0x\w+ here and 0x\w+ on the chain/)
  expect((await dumpTables(databaseUrl)).swap).toEqual(swap)
  // The indexer keeps running, but it has stopped this network until it is repaired.
  expect(await verify(options, { repair: true })).toMatchObject({ isRight: true })
  await devnet.chains.polygon.trade(2)
  await indexer.caughtUp(await head())
  await indexer.stop()
  // repair-branch.test.ts checks the content.
  expect(await verify(options)).toMatchObject({ isRight: true })
}, 300_000)
