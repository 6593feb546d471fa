import { openDatabase, openReader } from '@dexfeed/store'
import { closeAfter, connectTo } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { scriptedScene } from './scene/scripted-scene.ts'

interface Fault {
  /** Statements, each committed before the next one, so that a session opened in between sees them. */
  begin: string[]
  end: string[]
  message: RegExp
  /** What \`/status\` reports. Null for a read-only database, which cannot store it. */
  degraded: RegExp | null
}

/** May be stored by a session that ends after the session with the lease. */
const LEASE_LOST = 'the connection that holds the right to write eth was lost'

/** Ends the other sessions, because only new sessions see the setting. */
const RECONNECT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

function readOnly(name: string): Fault {
  return {
    begin: [`ALTER DATABASE ${name} SET default_transaction_read_only = on`, RECONNECT],
    end: [
      'SET default_transaction_read_only = off',
      `ALTER DATABASE ${name} RESET default_transaction_read_only`,
      RECONNECT,
    ],
    message: /read-only transaction/,
    degraded: null,
  }
}

/** A test cannot fill a disk, but this trigger makes the server respond as a full one would. */
function full(): Fault {
  return {
    begin: [
      `CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file "base/1": No space left on device' USING ERRCODE = '53100';
      END $$`,
      'CREATE TRIGGER no_space BEFORE INSERT ON swap FOR EACH ROW EXECUTE FUNCTION no_space()',
    ],
    end: ['DROP TRIGGER no_space ON swap'],
    message: /No space left on device/,
    degraded: /the database failed: .*No space left on device/,
  }
}

test.each([
  ['has no space left', full],
  ['is read-only', readOnly],
])('an indexer whose database %s waits, can be read from, and then goes on', async (_, faultOf) => {
  const scene = await scriptedScene('eth', 50)
  const databaseUrl = await scene.indexed()
  const indexer = await scene.index(databaseUrl)
  // The database has all earlier blocks, so only a new one shows that the indexer writes.
  scene.mine(1)
  await indexer.caughtUp(scene.head())
  const before = scene.head()
  const fault = faultOf(new URL(databaseUrl).pathname.slice(1))

  const owner = await connectTo(databaseUrl)
  for (const statement of fault.begin) await owner.query(statement)
  scene.mine(20)
  await indexer.warns(fault.message)
  const database = await openDatabase(databaseUrl, { applicationName: 'test-reader' })
  const close = closeAfter(() => database.close())
  const reader = openReader(database)
  const degraded = async () => (await reader.networks())[0]?.degraded
  if (fault.degraded === null) expect([null, LEASE_LOST]).toContain(await degraded())
  else await expect.poll(degraded).toMatch(fault.degraded)
  expect((await reader.networks())[0]?.head?.hash).toBe(before.hash)
  await close()

  for (const statement of fault.end) await owner.query(statement)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
})
