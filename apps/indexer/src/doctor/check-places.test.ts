import { expect, test } from 'vitest'
import { judgeDatabase } from './check-places.ts'

const FACTS = { majorVersion: 17, isReplica: false, freeConnections: 100 }

test.each<[string, Partial<typeof FACTS>, 'indexer' | 'API', string, string]>([
  ['an old version', { majorVersion: 13 }, 'API', 'fail', 'is Postgres 13'],
  ['the oldest version', { majorVersion: 14 }, 'API', 'ok', 'responds and is up to date'],
  ['a replica', { isReplica: true }, 'indexer', 'fail', 'is a replica, which refuses writes'],
  ['a replica', { isReplica: true }, 'API', 'ok', 'responds and is up to date'],
  ['few connections', { freeConnections: 79 }, 'indexer', 'warn', 'has 79 free connections'],
  ['enough connections', { freeConnections: 80 }, 'indexer', 'ok', 'responds and is up to date'],
])('a database that is, or has, %s: %o for the %s', (_, facts, reader, verdict, message) => {
  expect(judgeDatabase({ ...FACTS, ...facts }, reader === 'API')).toMatchObject({ verdict, message })
})
