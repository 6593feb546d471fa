import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, inject, test } from 'vitest'
import { orphanedBlock } from '../src/blocks/common-ancestor.ts'
import { openStore } from './scene/open-store.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'

async function deepReorg(scene: ScriptedScene, reorg: () => void): Promise<string> {
  const databaseUrl = await scene.indexed()
  reorg()
  return databaseUrl
}

//   .. - 10 - 11 - .. - 26 - .. - 50      indexed, final up to 26
//          \
//           11'- .. - head'               the chain now: longer, as long, or so short that its final block is lower
test.each(inject('scale') > 1 ? [65, 50, 40] : [65])(
  'a database on an orphaned branch is repaired by the chain up to block %i',
  async (length) => {
    const scene = await scriptedScene('eth', 50)
    const databaseUrl = await deepReorg(scene, () => scene.chain.reorg(40, length - 10))
    expect((await scene.verify(databaseUrl)).isRight).toBe(false)
    expect((await scene.verify(databaseUrl, { repair: true })).isRight).toBe(true)
    expect((await scene.verify(databaseUrl)).isRight).toBe(true)
    const running = await scene.index(databaseUrl)
    await running.caughtUp(scene.head())
    scene.chain.mine(5)
    await running.caughtUp(scene.head())
    await running.stop()
    expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
  },
)

test('a running indexer is not disturbed: it must be stopped first', async () => {
  const scene = await scriptedScene('eth', 50)
  const databaseUrl = await deepReorg(scene, () => scene.chain.reorg(40, 42))
  const before = await dumpTables(databaseUrl)
  const database = await openDatabase(databaseUrl, { applicationName: 'test-writer' })
  closeAfter(() => database.close())
  const lease = await openIndexerStore(database, 'eth').acquireWriter(AbortSignal.timeout(30_000))
  const release = closeAfter(() => lease.release())
  await expect(scene.verify(databaseUrl, { repair: true })).rejects.toThrow('an indexer is the writer of eth')
  expect(await dumpTables(databaseUrl)).toEqual(before)
  await release()
  await expect(scene.verify(databaseUrl, { repair: true, from: 20 })).rejects.toThrow('without --from and --to')
  expect((await scene.verify(databaseUrl, { repair: true })).isRight).toBe(true)
})

test('an interrupted repair starts again and has the same result', async () => {
  const scene = await scriptedScene('eth', 50)
  const databaseUrl = await deepReorg(scene, () => scene.chain.reorg(40, 55))
  // As after an interruption: the oldest rows are repaired, the newest are not, and the stored headers are orphaned.
  const { store } = await openStore(databaseUrl)
  await store.replaceRange({ from: 11, to: 18, trades: [], pools: [], tokens: [], times: new Map() })
  const stored = (await store.reorgableBlocks())[0]
  const orphaned = await orphanedBlock(
    {
      header: async () => scene.chain.blocks[stored?.number ?? 0] ?? null,
      hashesAt: async () => ({ hashes: [scene.chain.blocks[stored?.number ?? 0]?.hash ?? null], silent: 0 }),
    },
    store,
    AbortSignal.timeout(30_000),
  )
  expect(orphaned?.stored.number).toBe(stored?.number)
  expect((await scene.verify(databaseUrl, { repair: true })).isRight).toBe(true)
  scene.chain.mine(5)
  const running = await scene.index(databaseUrl)
  await running.caughtUp(scene.head())
  await running.stop()
  const { swap, day_total: totals } = await dumpTables(databaseUrl)
  const clean = await scene.cleanIndex()
  expect({ swap, totals }).toEqual({ swap: clean.swap, totals: clean.day_total })
})
