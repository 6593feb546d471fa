import { changedSettings, migrate, READER_ROLE } from '@dexfeed/store'
import { connectTo, emptyDatabase, queryOnce, testDatabase } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { open } from '../rows/sample.ts'

const quiet = { info() {}, warn() {} }

/**
 * Settings of hosted databases, and worse ones. A migration takes longer than a millisecond. A session can change the
 * last setting only by a statement, to which the limit applies, too.
 */
const HOSTILE = {
  bytea_output: 'escape',
  DateStyle: 'German, DMY',
  default_transaction_deferrable: 'on',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  lock_timeout: '1ms',
  search_path: 'elsewhere',
  standard_conforming_strings: 'off',
  statement_timeout: '1ms',
  TimeZone: 'Asia/Tokyo',
  transaction_timeout: '1min',
}

/** Sets these for the database, and for its owner in it. They apply to later connections. */
async function set(url: string, ofDatabase: object, ofOwner: object): Promise<void> {
  const client = await connectTo(url)
  const { rows } = await client.query('SELECT quote_ident(current_database()) AS name')
  const all = { [`DATABASE ${rows[0].name}`]: ofDatabase, [`ROLE CURRENT_USER IN DATABASE ${rows[0].name}`]: ofOwner }
  for (const [of, settings] of Object.entries(all))
    for (const [name, value] of Object.entries(settings)) await client.query(`ALTER ${of} SET ${name} = '${value}'`)
  await client.end()
}

it('a database or role that sets limits and formats changes no session', async () => {
  const url = await emptyDatabase()
  const { statement_timeout, bytea_output, ...others } = HOSTILE
  await set(url, others, { statement_timeout, bytea_output })
  expect((await migrate(url, { log: quiet })).applied.length).toBeGreaterThan(0)
  for (const [options, timeout] of [
    [{}, '0'],
    [{ role: READER_ROLE, readOnly: true, statementTimeoutMs: 7_000 }, '7s'],
  ] as const) {
    const { pool } = await open(url, { max: 1, ...options })
    const { rows } = await pool.query(
      `SELECT '\\x01'::bytea::text AS bytes, (1764374399.5::float8)::text AS number, now()::text LIKE '%+00' AS utc,
         current_setting('statement_timeout') AS timeout, current_setting('lock_timeout') AS lock,
         current_setting('transaction_timeout', true) AS transaction,
         current_setting('transaction_isolation') AS isolation, to_regclass('swap')::text AS rows_of`,
    )
    expect(rows).toEqual([
      {
        bytes: '\\x01',
        number: '1764374399.5',
        utc: true,
        timeout,
        lock: '0',
        transaction: '0',
        isolation: 'read committed',
        rows_of: 'swap',
      },
    ])
  }
})

it('what a database or role changes is read with their values', async () => {
  const url = await testDatabase()
  expect(await changedSettings(url)).toEqual([])
  const ofDatabase = { statement_timeout: '2min', default_transaction_read_only: 'on', work_mem: '8MB' }
  await set(url, ofDatabase, { TimeZone: 'Asia/Tokyo' })
  expect(await changedSettings(url)).toEqual([
    { name: 'default_transaction_read_only', value: 'on' },
    { name: 'statement_timeout', value: '2min' },
    { name: 'TimeZone', value: 'Asia/Tokyo' },
  ])
  const { pool } = await open(url, { max: 1 })
  expect((await pool.query('SHOW default_transaction_read_only')).rows).toEqual([
    { default_transaction_read_only: 'on' },
  ])
  expect(await queryOnce(url, 'SHOW TimeZone')).toEqual([{ TimeZone: 'Asia/Tokyo' }])
})
