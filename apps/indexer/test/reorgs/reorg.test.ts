import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, inject, test } from 'vitest'
import { scriptedScene } from '../scene/scripted-scene.ts'

/** Makes a chain, and an indexer that continues at its head. */
async function openScene() {
  const scene = await scriptedScene('eth', 66)
  const databaseUrl = await scene.indexed()
  return { scene, databaseUrl, start: () => scene.index(databaseUrl) }
}

//   A - B - C          indexed
//    \
//     B'- C'- D'       the chain's branch: afterwards, the database equals that of a clean index
test.each(inject('scale') > 1 ? [1, 3, 10] : [3])(
  'after a reorg of %i blocks the database is that of a clean index of the winning branch',
  async (depth) => {
    const { scene, databaseUrl, start } = await openScene()
    const watching = await start()
    scene.mine(depth)
    await watching.caughtUp(scene.head())
    const before = await dumpTables(databaseUrl)
    scene.reorg(depth, depth + 2)
    await watching.caughtUp(scene.head())
    await watching.stop()
    const after = await dumpTables(databaseUrl)
    expect(after).toEqual(await scene.cleanIndex())
    expect(after.swap).not.toEqual(before.swap)
  },
)

test('a reorg while the indexer is down is found before new rows are written', async () => {
  const { scene, databaseUrl, start } = await openScene()
  const first = await start()
  scene.mine(4)
  await first.caughtUp(scene.head())
  await first.stop()
  scene.reorg(4, 7)
  const second = await start()
  await second.caughtUp(scene.head())
  await second.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
})

//   A - B - C          indexed, then down
//    \
//     B'- C'- D'       taken in two steps: up to the height where following restarted, then beyond
test('a new branch that first reaches exactly the height where following began is followed further', async () => {
  const { scene, databaseUrl, start } = await openScene()
  const indexer = await start()
  await indexer.caughtUp(scene.head())
  scene.reorg(2, 2)
  await indexer.caughtUp(scene.head())
  scene.mine(1)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
})
