import {
  type Database,
  type HeadCommit,
  type HistoryCommit,
  type IndexerStore,
  LeaseLost,
  openDatabase,
  openIndexerStore,
  openReader,
  RangeAlreadyCovered,
  type WriterLease,
} from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { type Freeze, openTcpProxy, type TcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { inTransaction } from '../../src/database/transaction.ts'
import {
  emptyStore,
  filling,
  following,
  header,
  MIDNIGHT,
  open,
  openTestDatabase,
  session,
  startWriter,
  trade,
} from '../rows/sample.ts'

//  store -- x   x -- server       the proxy in between: nothing comes through, nothing is closed

const HASTY = { silentMs: 200, checkMs: 400, marginMs: 200, keepAliveMs: 50, idleSessionMs: 2_000 }
/** For connections that never fall silent, but read many rows in one response. */
const PATIENT = { ...HASTY, silentMs: 10_000 }
const NOT_NOW = { name: 'StoreError', retryable: true }

let proxy: TcpProxy
/** Connected through the proxy that falls silent; `direct` bypasses it. */
let database: Database
let direct: Database
let store: IndexerStore
let directStore: IndexerStore

beforeEach(async () => {
  const url = await testDatabase()
  direct = await open(url, { max: 4, patience: PATIENT })
  proxy = await openTcpProxy(url)
  database = await open(proxy.url, { max: 4, patience: HASTY })
  store = openIndexerStore(database, 'eth')
  directStore = openIndexerStore(direct, 'eth')
})

const plain = await openTestDatabase(4)

/** Returns the table contents after this commit without any silence. */
async function plainly(commitOf: (lease: WriterLease) => HeadCommit | HistoryCommit) {
  const { store: plainStore, lease } = await emptyStore(plain, 'eth')
  await plainStore.noteFinal(lease.epoch, 20)
  await commitTo(plainStore, commitOf(lease))
  return tableContents(plain.pool)
}

function commitTo(store: IndexerStore, commit: HeadCommit | HistoryCommit): Promise<void> {
  return 'live' in commit ? store.commitHead(commit) : store.commitHistory(commit)
}

const many = Array.from({ length: 2_500 }, (_, position) => trade(2, MIDNIGHT + 2, { position }))

const ofBlock30 = (epoch: number) => following(epoch, [header(30, MIDNIGHT)], [trade(30, MIDNIGHT)])

const FREEZES: [string, Freeze][] = [
  ['before its response', { all: true, arrives: true }],
  ['on its connection alone, before its response', { all: false, arrives: true }],
  ['before it arrived', { all: true, arrives: false }],
  ['on its connection alone, before it arrived', { all: false, arrives: false }],
]
const COMMITS: [string, RegExp, (lease: WriterLease) => HeadCommit | HistoryCommit][] = [
  ['the COMMIT of the follower', /COMMIT/, ({ epoch }) => ofBlock30(epoch)],
  ['the COMMIT of history', /COMMIT/, () => filling(1, 4, many.slice(0, 10))],
  ['a COPY of history', /COPY swap/, () => filling(1, 4, many.slice(0, 10))],
  ['the rows of a COPY', /\t1\d{3}\t/, () => filling(1, 4, many)],
  ['the beginning of a commit', /BEGIN/, () => filling(1, 4, many.slice(0, 10))],
]

describe.each(FREEZES)('a database that falls silent %s:', (when, how) => {
  // In `npm test`, each commit meets only one of the silences.
  it.each(COMMITS.filter((_, n) => inject('scale') > 1 || FREEZES[n % FREEZES.length]?.[0] === when))(
    '%s is done once',
    async (_, text, commitOf) => {
      const lease = await startWriter(directStore, 'eth')
      await directStore.noteFinal(lease.epoch, 20)
      const commit = commitOf(lease)
      const frozen = proxy.freezeAt(text, how)
      const lost = expect(commitTo(store, commit)).rejects.toMatchObject(NOT_NOW)
      await frozen
      await lost
      // The data held back arrives while the same commit is repeated.
      const [again] = await Promise.allSettled([commitTo(store, commit), proxy.restore()])
      if (again.status === 'rejected') {
        expect(again.reason).toSatisfy((error) => error.retryable || error instanceof RangeAlreadyCovered)
        await commitTo(store, commit).catch((error) => expect(error).toBeInstanceOf(RangeAlreadyCovered))
      }
      expect(await tableContents(direct.pool)).toEqual(await plainly(commitOf))
    },
  )

  it('a statement fails with a retryable error, and the next one succeeds', async () => {
    await startWriter(directStore, 'eth')
    const frozen = proxy.freezeAt(/network/, how)
    const lost = expect(store.networkRow()).rejects.toMatchObject(NOT_NOW)
    await frozen
    await lost
    if (how.all) await proxy.restore()
    expect(await store.networkRow()).toMatchObject({ network: 'eth' })
  })
})

/** Runs `work` while the server accepts no further connections to the database. */
async function refusingConnections(work: () => Promise<unknown>): Promise<void> {
  const name = new URL(proxy.url).pathname.slice(1)
  const owner = await open(inject('postgresUrl'), { patience: HASTY })
  await owner.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await work()
  await owner.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
}

describe('a statement that is merely slow', () => {
  /** Reads a table that another session locks during `meanwhile`. */
  async function readSlowly(meanwhile: () => Promise<unknown>): Promise<void> {
    const blocker = await session(direct)
    await blocker.query('BEGIN; LOCK TABLE network IN ACCESS EXCLUSIVE MODE')
    const read = store.networkRow()
    await meanwhile()
    await blocker.query('ROLLBACK')
    expect(await read).toMatchObject({ network: 'eth' })
  }

  it('is awaited as long as the server works on it', async () => {
    await startWriter(directStore, 'eth')
    const checkedThrice = proxy.sees('FROM pg_stat_activity WHERE pid', 3)
    await readSlowly(() => checkedThrice)
  })

  it('is awaited, too, while the server accepts no further connection', async () => {
    await startWriter(directStore, 'eth')
    // From here on, the pool has a connection for the read.
    await store.networkRow()
    await readSlowly(() => refusingConnections(() => proxy.sees('test check', 3)))
  })
})

describe('a reader whose server limits statements', () => {
  it('gives up a list that falls silent midway, and reads it when the connection is back', async () => {
    const lease = await startWriter(directStore, 'eth')
    await directStore.noteFinal(lease.epoch, 20)
    await directStore.commitHistory(filling(1, 4, many))
    const limited = await open(proxy.url, { readOnly: true, statementTimeoutMs: 300, patience: HASTY })
    const reader = openReader(limited)
    const signal = new AbortController().signal
    const read = (onPage: () => void) =>
      reader.listSnapshot(signal, async ({ networks, rows }) => {
        let count = 0
        for (const network of networks) {
          for await (const page of rows(network, 1, 4)) {
            count += page.length
            onPage()
          }
        }
        return count
      })
    await expect(read(() => proxy.freeze())).rejects.toMatchObject(NOT_NOW)
    await proxy.restore()
    expect(await read(() => undefined)).toBe(many.length)
  })

  it('receives commits again after its listening connection fell silent', async () => {
    await startWriter(directStore, 'eth')
    const received: (string | null)[] = []
    let losses = 0
    const stop = openReader(database).listen({
      onCommit: (network) => void received.push(network),
      onLost: () => losses++,
    })
    closeAfter(stop)
    await expect.poll(() => received).toEqual([null])
    proxy.freeze()
    await expect.poll(() => losses).toBeGreaterThan(0)
    await proxy.restore()
    await expect.poll(() => received).toEqual([null, null])
    await directStore.commitHistory(filling(1, 4))
    await expect.poll(() => received.at(-1)).toBe('eth')
  })
})

it('the lease of a writer whose connection falls silent is lost, goes to another process, and no late commit under it succeeds', async () => {
  const lease = await startWriter(store, 'eth')
  const late = ofBlock30(lease.epoch)
  const frozen = proxy.freezeAt(/BEGIN/, { all: true, arrives: true })
  const lost = expect(store.commitHead(late)).rejects.toMatchObject(NOT_NOW)
  await frozen
  await Promise.all([lost, lease.lost])
  // The proxy is still silent; the server detects the loss itself.
  const next = await directStore.acquireWriter(AbortSignal.timeout(20_000))
  closeAfter(() => next.release())
  expect(next.epoch).toBe(lease.epoch + 1)
  await proxy.restore()
  await expect(store.commitHead(late)).rejects.toBeInstanceOf(LeaseLost)
  expect((await direct.pool.query('SELECT FROM swap')).rowCount).toBe(0)
})

// If another connection asked, such a server would seem to be working.
it('a long-lived connection is lost when it falls silent, also while the server accepts no further connection', async () => {
  const held = await database.hold('test holder')
  const lost = new Promise<void>((resolve) => void held.once('end', resolve))
  await refusingConnections(async () => {
    await proxy.freezeAt(/SELECT 1/, { all: false, arrives: true })
    await lost
  })
})

it('a database that is silent can be closed, whatever was running', async () => {
  const own = await openDatabase(proxy.url, { applicationName: 'test', patience: HASTY })
  await startWriter(directStore, 'eth')
  await inTransaction(own, (tx) => tx.$executeRaw`SELECT 1`)
  const held = await own.hold('test holder')
  proxy.freeze()
  const read = openIndexerStore(own, 'eth')
    .networkRow()
    .catch((error: unknown) => error)
  await held.end()
  await own.close()
  expect(await read).toMatchObject(NOT_NOW)
})
