import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { scriptedWorld } from '@dexfeed/indexer/test/scripted-world'
import { createLogger } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'
import { temporaryFolder } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { POSTGRES_BIN, runTool, startCluster } from './postgres-cluster.ts'

const log = createLogger({ name: 'test', level: 'warn' })

//   chain ----> indexer ----> database ----------------------> rows
//                                |  pg_dump, beside the writes      equal
//                                '--> restored database --> indexer --> rows
test.skipIf(POSTGRES_BIN === undefined)(
  'a backup taken beside a running indexer is restored on another server and ends with the same rows',
  async () => {
    const world = await scriptedWorld({ network: 'eth', seed: 11, blocks: 60 })
    const onChain = { network: 'eth', rpcUrl: world.rpcUrl, deployment: world.chain.market.deployment } as const
    const original = await (await startCluster()).create('dexfeed')
    await migrate(original, { log })
    const indexer = await runIndexer({ databaseUrl: original, ...onChain })
    await indexer.follows(world.head())

    const file = join(temporaryFolder(), 'dexfeed.dump')
    const before = await rowsOf(original)
    let isDumped = false
    const dump = runTool('pg_dump', '--format=custom', `--file=${file}`, original).then(() => {
      isDumped = true
    })
    let moves = 0
    for (; !isDumped || moves < 5; moves++) {
      if (moves % 4 === 3) world.reorg(3, 5)
      else world.mine(2)
      await indexer.follows(world.head())
      await delay(5)
    }
    await dump
    expect(await rowsOf(original)).toBeGreaterThan(before)

    // Roles belong to the server, so the dump has none. `migrate` grants their privileges.
    const restored = await (await startCluster()).create('dexfeed')
    await runTool('pg_restore', '--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${restored}`, file)
    expect((await migrate(restored, { log })).applied).toEqual([])
    expect(await rowsOf(restored)).toBeLessThan(await rowsOf(original))

    world.mine(20)
    await indexer.caughtUp(world.head())
    await indexer.stop()
    const other = await runIndexer({ databaseUrl: restored, ...onChain })
    await other.caughtUp(world.head())
    await other.stop()
    expect(await dumpTables(restored)).toEqual(await dumpTables(original))
    expect(await readsAsApi(restored)).toBeGreaterThan(0)
  },
  180_000,
)

async function rowsOf(url: string): Promise<number> {
  return await number(url, 'SELECT max(block_number)::int AS number FROM swap')
}

async function readsAsApi(url: string): Promise<number> {
  return await number(url, 'SET ROLE dexfeed_api; SELECT count(*)::int AS number FROM swap')
}

async function number(url: string, statement: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const results = await client.query(statement).finally(() => client.end())
  const { rows } = [results].flat().at(-1) as { rows: { number: number }[] }
  return rows[0]?.number ?? 0
}
