import { dayOf, NETWORKS } from '@dexfeed/dex'
import { LeaseLost, openIndexerStore, RangeAlreadyCovered } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import type { Client } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/database/locks.ts'
import { inTransaction } from '../src/database/transaction.ts'
import { address, filling, header, MIDNIGHT, session, TOKEN, trade } from './rows/sample.ts'
import { afterWork, database, fill, follow, lease, store, useStore, waiting } from './rows/scene.ts'

const { chainId } = NETWORKS.eth

useStore('eth', 6, 20)

/** A session that holds locks that a commit needs. */
let holder: Client

beforeEach(async () => {
  holder = await session(database)
})

async function count(sql: string, parameters: unknown[] = []): Promise<number> {
  return (await database.pool.query(sql, parameters)).rowCount ?? 0
}

async function hold(lock: keyof typeof ADVISORY_LOCKS, second: number, shared = false): Promise<void> {
  await holder.query(`SELECT pg_advisory_lock${shared ? '_shared' : ''}($1, $2)`, [ADVISORY_LOCKS[lock], second])
}

async function releaseAll(): Promise<void> {
  await holder.query('SELECT pg_advisory_unlock_all()')
}

const swaps = () => count('SELECT FROM swap')

describe('a commit', () => {
  it('shows neither rows nor coverage before both are committed', async () => {
    await hold('coverage', chainId)
    const commit = fill(1, 4, [trade(2, MIDNIGHT)])
    await waiting(commit)
    expect(await swaps()).toBe(0)
    expect(await store.coveredRanges()).toEqual([])
    await releaseAll()
    await commit
    expect(await swaps()).toBe(1)
    expect(await store.coveredRanges()).toHaveLength(1)
  })

  it('of the follower leaves no rows of blocks that turn out to be covered', async () => {
    await fill(30, 30)
    const commit = follow([header(30, MIDNIGHT)], [trade(30, MIDNIGHT)])
    await expect(commit).rejects.toBeInstanceOf(RangeAlreadyCovered)
    expect(await swaps()).toBe(0)
    expect((await store.networkRow())?.head).toBeNull()
  })

  it('of the follower waits for a process that acquires the lease meanwhile, and is then refused', async () => {
    await holder.query('BEGIN; UPDATE network SET writer_epoch = writer_epoch + 1')
    const commit = follow([header(30, MIDNIGHT)], [trade(30, MIDNIGHT)])
    const outcome = commit.catch((error: unknown) => error)
    await waiting(commit)
    await holder.query('COMMIT')
    expect(await outcome).toBeInstanceOf(LeaseLost)
    expect(await swaps()).toBe(0)
  })

  it('waits for a rollback of its network, and a rollback for a commit', async () => {
    await hold('rows', chainId)
    const filled = fill(1, 4, [trade(2, MIDNIGHT)])
    await waiting(filled)
    expect(await swaps()).toBe(0)
    await releaseAll()
    await filled
    await follow([header(29, MIDNIGHT), header(30, MIDNIGHT)])
    await hold('rows', chainId, true)
    const back = follow([header(30, MIDNIGHT, 1, 0)], [], { rollbackTo: 29 })
    await waiting(back)
    await releaseAll()
    await back
  })

  it('changes covered ranges only when no other transaction does', async () => {
    await hold('coverage', chainId, true)
    const commit = fill(1, 4)
    await waiting(commit)
    await releaseAll()
    await commit
  })

  it('of the head does not wait for history that waits for its hour', async () => {
    await holder.query('BEGIN')
    await holder.query(`INSERT INTO hour_volume VALUES ($1, to_timestamp($2), '', 0, 0, 0)`, [chainId, MIDNIGHT])
    const filled = fill(1, 4, [trade(2, MIDNIGHT)])
    await waiting(filled)
    await follow([header(29, MIDNIGHT), header(30, MIDNIGHT)])
    expect(await store.coveredRanges()).toHaveLength(1)
    await holder.query('ROLLBACK')
    await filled
    expect(await store.coveredRanges()).toHaveLength(2)
  })

  it('runs concurrently with another commit of its network', async () => {
    await hold('rows', chainId, true)
    await hold('day', dayOf(MIDNIGHT), true)
    await fill(1, 4, [trade(2, MIDNIGHT)])
    expect(await swaps()).toBe(1)
  })
})

it('a replacement waits for commits of its network, and for changes of its covered ranges', async () => {
  await fill(1, 4, [trade(2, MIDNIGHT)])
  const nothing = { from: 1, to: 4, trades: [], pools: [], tokens: [], times: new Map([[1, MIDNIGHT]]) }
  for (const lock of ['rows', 'coverage'] as const) {
    await hold(lock, chainId, lock === 'rows')
    const replaced = store.replaceRange(nothing)
    await waiting(replaced)
    await releaseAll()
    await replaced
  }
})

describe('a transaction that rewrites rows or counters', () => {
  const { chainId: otherId } = NETWORKS.polygon
  const rollBack = () => store.rollBackBelowFinal(lease.epoch, header(4, MIDNIGHT), [])

  it.each<[string, () => Promise<unknown>, number, boolean]>([
    ['rolls back below the final block after commits of the network', rollBack, chainId, true],
    ['recounts a day after commits of any network', () => store.recountDay(dayOf(MIDNIGHT)), otherId, true],
    ['settles values after a rollback of the network', () => store.settleAwaitedValues([TOKEN]), chainId, false],
  ])('%s', async (_, write, second, shared) => {
    await hold('rows', second, shared)
    const written = write()
    await waiting(written)
    await releaseAll()
    await written
  })

  it('blocks a commit of a skipped block', async () => {
    const block = header(30, MIDNIGHT)
    await follow([block], [], {}, { covered: [] })
    await hold('rows', chainId)
    const skipped = { epoch: lease.epoch, hash: block.hash, isProven: true }
    const commit = store.commitSkipped({ ...filling(30, 30, [trade(30, MIDNIGHT)]), skipped })
    await waiting(commit)
    expect(await swaps()).toBe(0)
    await releaseAll()
    await commit
    expect(await swaps()).toBe(1)
  })
})

it('values that two processes settle at the same time are added to their day once', async () => {
  const value = { usdE8: 150_000_000n, source: 'stablecoin' as const, flags: 1 }
  const other = { ...TOKEN, address: address(2) }
  const awaiting = trade(2, MIDNIGHT, { usdE8: null, source: null, awaited: value })
  await fill(1, 4, [awaiting], { tokens: [TOKEN, other] })
  await hold('day', dayOf(MIDNIGHT))
  const first = store.settleAwaitedValues([])
  await waiting(first)
  const second = store.settleAwaitedValues([])
  await waiting(second, 2)
  await releaseAll()
  expect(await Promise.all([first, second])).toEqual([0, 0])
  const contents = await tableContents(database.pool, ['day_total'])
  await store.recountDay(dayOf(MIDNIGHT))
  expect(contents).toEqual(await tableContents(database.pool, ['day_total']))
})

describe('a day that is dropped while a commit waits', () => {
  it('gets no rows, and the commit succeeds', async () => {
    const long = 86_400 * 9
    await fill(1, 1, [trade(1, MIDNIGHT - long), trade(1, MIDNIGHT, { transactionIndex: 1 })])
    // The second transaction writes the trades, after one for pools.
    const dropping = async () => expect(await store.dropDaysBefore(dayOf(MIDNIGHT))).toHaveLength(6)
    const other = openIndexerStore(afterWork(2, dropping), 'eth')
    await other.commitHistory(filling(2, 4, [trade(2, MIDNIGHT - long), trade(3, MIDNIGHT)]))
    expect(await store.coveredRanges()).toMatchObject([{ from: 1, to: 4 }])
    expect(await swaps()).toBe(2)
    expect(await count('SELECT FROM day_total')).toBe(2)
  })

  it('is recounted before its rows are dropped, if recounting began first', async () => {
    const day = dayOf(MIDNIGHT) - 1
    await fill(1, 4, [trade(1, MIDNIGHT - 1), trade(3, MIDNIGHT)])
    const totals = await tableContents(database.pool, ['day_total', 'hour_volume', 'day_address_count'])
    await hold('rows', chainId)
    const recount = store.recountDay(day)
    await waiting(recount)
    const dropping = store.dropDaysBefore(day + 1)
    await waiting(dropping, 2)
    await releaseAll()
    await recount
    expect(await dropping).toHaveLength(6)
    expect(await tableContents(database.pool, ['day_total', 'hour_volume', 'day_address_count'])).toEqual(totals)
  })

  it('or that a connection does not see yet makes the transaction run again', async () => {
    let attempts = 0
    await inTransaction(database, async (tx) => {
      attempts += 1
      if (attempts < 3) await tx.$executeRaw`INSERT INTO day_trader VALUES ('1990-01-01', '\\x', 1)`
    })
    expect(attempts).toBe(3)
  })
})

it('COPY uses the connection of the transaction, also when several run concurrently', async () => {
  await Promise.all(
    Array.from({ length: 20 }, () =>
      inTransaction(database, async (tx) => {
        const connection = await database.pool.connectionOf(tx)
        const [prisma] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
        const copy = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        expect(copy.rows[0]?.pid).toBe(prisma?.pid)
      }),
    ),
  )
})
