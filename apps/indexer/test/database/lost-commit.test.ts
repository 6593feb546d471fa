import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { type Lost, openTcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { expect, test } from 'vitest'
import { scriptedScene } from '../scene/scripted-scene.ts'

const MOVES = 3
/** Then all commits pass. Two loops that commit in turn could otherwise lose every commit of one of them. */
const MAX_LOST = 6

//   indexer -- COMMIT --> database
//           x <-- done --             the connection is reset before the response: was it committed?
test.each<[Exclude<Lost, null>, string]>([
  ['response', 'a commit that went through, but whose response was lost, is not made twice'],
  ['request', 'a commit that never arrived is made again'],
])('with resets before the %s: %s', async (where) => {
  const scene = await scriptedScene('polygon', 30)
  const databaseUrl = await testDatabase()
  const proxy = await openTcpProxy(databaseUrl)
  const lost = { commits: 0, met: 0 }
  proxy.loses = (sent) => {
    // Lose every second commit, so that a retry succeeds.
    if (!sent.includes('COMMIT\0') || lost.commits === MAX_LOST || lost.met++ % 2 === 1) return null
    lost.commits++
    return where
  }
  const indexer = await scene.index(proxy.url)
  for (let move = 0; move < MOVES; move++) {
    if (move === 2) scene.reorg(3, 3)
    else scene.mine(4)
    await indexer.follows(scene.head())
  }
  expect(lost.commits).toBeGreaterThan(MOVES / 2)
  await proxy.restore()
  await indexer.caughtUp(scene.head())
  await indexer.stop()

  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
})
