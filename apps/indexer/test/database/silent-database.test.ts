import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { openTcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { expect, inject, test } from 'vitest'
import { scriptedScene } from '../scene/scripted-scene.ts'

const HASTY = { silentMs: 300, checkMs: 600, marginMs: 300, keepAliveMs: 100, idleSessionMs: 2_000 }

//   indexer -- COMMIT --> x   x -- database
//   nothing gets through and nothing is closed; later the connection works again
const SILENCES: [string, RegExp, boolean][] = [
  ['at a commit that went through', /COMMIT/, true],
  ['amid the rows of history', /COPY swap_hop /, true],
  ['at a commit that arrives late', /COMMIT/, false],
]

// Only the long tier runs the late commit, because silent-connection.test.ts in the store also covers it.
test.each(inject('scale') > 1 ? SILENCES : SILENCES.slice(0, 2))(
  'an indexer whose database falls silent %s goes on when it is back, and leaves what it would have left',
  async (_, text, arrives) => {
    const scene = await scriptedScene('polygon', 30)
    const databaseUrl = await testDatabase()
    const proxy = await openTcpProxy(databaseUrl)
    const indexer = await scene.index(proxy.url, { patience: HASTY })
    if (text.source === 'COMMIT') await indexer.follows(scene.head())
    const frozen = proxy.freezeAt(text, { all: true, arrives })
    scene.mine(4)
    await frozen
    scene.reorg(2, 3)
    await indexer.warns(/indexing interrupted, trying again LeaseInterrupted/)
    scene.mine(4)
    await proxy.restore()
    await indexer.caughtUp(scene.head())
    await indexer.stop()

    expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
  },
)
