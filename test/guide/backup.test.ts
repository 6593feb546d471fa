import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { scriptedScene } from '@dexfeed/indexer/test/scripted-scene'
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
    const scene = await scriptedScene('eth', 60)
    const original = await (await startCluster()).create('dexfeed')
    await migrate(original, { log })
    const indexer = await scene.index(original)
    await indexer.follows(scene.head())

    const file = join(temporaryFolder(), 'dexfeed.dump')
    const before = await rowsOf(original)
    let isDumped = false
    const dump = runTool('pg_dump', '--format=custom', `--file=${file}`, original).then(() => {
      isDumped = true
    })
    let moves = 0
    for (; !isDumped || moves < 5; moves++) {
      if (moves % 4 === 3) scene.reorg(3, 5)
      else scene.mine(2)
      await indexer.follows(scene.head())
      await delay(5)
    }
    await dump
    expect(await rowsOf(original)).toBeGreaterThan(before)

    // Roles belong to the server, so the dump has none. `migrate` grants their privileges.
    const restored = await (await startCluster()).create('dexfeed')
    await runTool('pg_restore', '--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${restored}`, file)
    expect((await migrate(restored, { log })).applied).toEqual([])
    expect(await rowsOf(restored)).toBeLessThan(await rowsOf(original))

    scene.mine(20)
    await indexer.caughtUp(scene.head())
    await indexer.stop()
    const other = await scene.index(restored)
    await other.caughtUp(scene.head())
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
