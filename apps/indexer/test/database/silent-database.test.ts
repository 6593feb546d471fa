import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { openTcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { expect, inject, test } from 'vitest'
import { plainTables } from '../scene/indexed-database.ts'
import { runIndexer } from '../scene/run-indexer.ts'
import { scriptedWorld } from '../scene/scripted-world.ts'

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
    const world = await scriptedWorld({ network: 'polygon', seed: 5, blocks: 30 })
    const databaseUrl = await testDatabase()
    const proxy = await openTcpProxy(databaseUrl)
    const onChain = { network: 'polygon', rpcUrl: world.rpcUrl, deployment: world.chain.market.deployment } as const
    const indexer = await runIndexer({ databaseUrl: proxy.url, ...onChain, patience: HASTY })
    if (text.source === 'COMMIT') await indexer.follows(world.head())
    const frozen = proxy.freezeAt(text, { all: true, arrives })
    world.mine(4)
    await frozen
    world.reorg(2, 3)
    await indexer.warns(/indexing interrupted, trying again LeaseInterrupted/)
    world.mine(4)
    await proxy.restore()
    await indexer.caughtUp(world.head())
    await indexer.stop()

    expect(await dumpTables(databaseUrl)).toEqual(await plainTables(onChain, world.head()))
  },
  120_000,
)
