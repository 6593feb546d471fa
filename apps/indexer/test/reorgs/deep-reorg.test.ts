import { setTimeout as delay } from 'node:timers/promises'
import type { Chain } from '@dexfeed/chain'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { scriptedScene } from '../scene/scripted-scene.ts'

const FINALITY_DEPTH = 24

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
  const scene = await scriptedScene('polygon', 40, { finalityDepth: FINALITY_DEPTH })
  const chains: Chain[] = []
  const wrap = (chain: Chain) => {
    chains.push(chain)
    return chain
  }
  const indexer = await scene.index(databaseUrl, { deepReorgMs: 100, wrap })
  await indexer.caughtUp(scene.head())
  scene.mine(3)
  await indexer.caughtUp(scene.head())
  for (const chain of chains) await knowFinal(databaseUrl, chain)
  const { swap } = await dumpTables(databaseUrl)
  scene.reorg(FINALITY_DEPTH + 10, FINALITY_DEPTH + 12)
  expect(await degraded(databaseUrl)).toMatch(/polygon went back .* below block \d+ that was taken as final/)
  await indexer.warns(/indexing stopped/)
  expect((await dumpTables(databaseUrl)).swap).toEqual(swap)

  const found = await scene.verify(databaseUrl)
  expect(found.isRight).toBe(false)
  expect(found.notes.join()).toMatch(/the indexed branch is orphaned: block \d+ is 0x\w+ here and 0x\w+ on the chain/)
  expect((await dumpTables(databaseUrl)).swap).toEqual(swap)
  // The indexer keeps running, but it has stopped this network until it is repaired.
  expect(await scene.verify(databaseUrl, { repair: true })).toMatchObject({ isRight: true })
  scene.mine(2)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  // repair-branch.test.ts checks the content.
  expect(await scene.verify(databaseUrl)).toMatchObject({ isRight: true })
}, 300_000)
