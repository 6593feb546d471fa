import { dayOf, NETWORK_NAMES, NETWORKS } from '@dexfeed/dex'
import { LeaseLost, openIndexerStore, StoreError } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/database/locks.ts'
import { inTransaction } from '../src/database/transaction.ts'
import { address, filling, following, header, headers, MIDNIGHT, session, startWriter, trade } from './rows/sample.ts'
import { database, rows, useDatabase } from './rows/scene.ts'

useDatabase(8)

/** Polls until a session of this database waits for the event, and returns its process id. */
async function waiting(event = "wait_event = 'advisory'"): Promise<number> {
  for (;;) {
    const [row] = await rows(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND ${event}`)
    if (row) return row.pid
  }
}

const terminate = (pid: number) => rows('SELECT pg_terminate_backend($1)', [pid])

async function writer(name: (typeof NETWORK_NAMES)[number]) {
  const store = openIndexerStore(database, name)
  const lease = await startWriter(store, name)
  return { store, lease }
}

describe('commits at the same time', () => {
  it('of all networks with the same traders wait for each other in order and count exactly', async () => {
    const deadlocks = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'
    const traders = Array.from({ length: 40 }, (_, index) => address(index + 1))
    const chunks = [0, 1, 2, 3]
    await Promise.all(
      NETWORK_NAMES.map(async (name, shift) => {
        const { store, lease } = await writer(name)
        // Each network fills, follows and rolls back around midnight, with the traders in a different order.
        const tradesOf = (block: number) =>
          traders.map((_, index) => {
            const turned = traders[(index * 7 + shift * 13 + block) % traders.length] ?? address(0)
            return trade(block, MIDNIGHT - 30 + (block % 60), { position: index, trader: turned })
          })
        const filler = async () => {
          for (const chunk of chunks) {
            const from = 100 + chunk * 5
            await store.commitHistory(filling(from, from + 4, [from, from + 2].flatMap(tradesOf)))
          }
        }
        const follower = async () => {
          for (const chunk of chunks) {
            const number = 1001 + Math.floor(chunk / 2)
            const block = header(number, MIDNIGHT + number, chunk, Math.max(0, chunk - (chunk % 2 ? 2 : 1)))
            const rollbackTo = chunk % 2 ? number - 1 : null
            await store.commitHead(following(lease.epoch, [block], tradesOf(number), { rollbackTo }))
          }
        }
        await Promise.all([filler(), follower()])
      }),
    )
    const [expected] = await rows(`SELECT count(*) AS swaps, sum(volume_usd) AS volume FROM swap`)
    expect(expected?.swaps).toBe(
      String(NETWORK_NAMES.length * traders.length * (2 * chunks.length + chunks.length / 2)),
    )
    expect(await rows('SELECT sum(swaps) AS swaps, sum(volume_usd) AS volume FROM day_total')).toEqual([expected])
    const bits = NETWORK_NAMES.map((name, n) => `WHEN ${NETWORKS[name].chainId} THEN ${2 ** n}`).join(' ')
    const tradersOf = `SELECT block_time::date AS day, trader, bit_or(CASE chain_id ${bits} END) AS networks
      FROM swap GROUP BY 1, 2`
    expect(await rows('SELECT day, trader, networks FROM day_trader ORDER BY day, trader')).toEqual(
      await rows(`${tradersOf} ORDER BY 1, 2`),
    )
    expect(await rows('SELECT day, networks, addresses FROM day_address_count ORDER BY 1, 2')).toEqual(
      await rows(`SELECT day, networks, count(*) AS addresses FROM (${tradersOf}) AS t GROUP BY 1, 2 ORDER BY 1, 2`),
    )
    expect(await rows(deadlocks)).toEqual([{ deadlocks: '0' }])
  })

  it('are run again when the server breaks a deadlock', async () => {
    await database.pool.query('CREATE TABLE pair (id int PRIMARY KEY, n int); INSERT INTO pair VALUES (1, 0), (2, 0)')
    let arrived = 0
    let bothHere: () => void = () => {}
    const meeting = new Promise<void>((resolve) => {
      bothHere = resolve
    })
    const crossing = (first: number, second: number) =>
      inTransaction(database, async (tx) => {
        await tx.$executeRaw`UPDATE pair SET n = n + 1 WHERE id = ${first}`
        if (++arrived === 2) bothHere()
        await meeting
        await tx.$executeRaw`UPDATE pair SET n = n + 1 WHERE id = ${second}`
      })
    await Promise.all([crossing(1, 2), crossing(2, 1)])
    // More than three if the retry takes its row before the other transaction wakes up: they then cross again.
    expect(arrived).toBeGreaterThan(2)
    expect(await rows('SELECT n FROM pair')).toEqual([{ n: 2 }, { n: 2 }])
  })

  it('end in a retryable error when the conflicts continue', async () => {
    let attempts = 0
    const failing = inTransaction(database, async (tx) => {
      attempts += 1
      await tx.$executeRaw`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`
    })
    await expect(failing).rejects.toMatchObject({ name: 'StoreError', retryable: true })
    expect(attempts).toBe(6)
  })
})

it('a commit whose connection dies leaves nothing, fails with a retryable error, and succeeds the next time', async () => {
  const { store, lease } = await writer('eth')
  await store.commitHistory(filling(1, 4, [trade(2, MIDNIGHT)]))
  const before = await tableContents(database.pool)
  const commit = following(lease.epoch, headers(10), [trade(10, MIDNIGHT + 10)])

  // Another session holds the lock on the day's counters, so the commit stops halfway, after writing its rows.
  const holder = await session(database)
  await holder.query('SELECT pg_advisory_lock($1, $2)', [ADVISORY_LOCKS.day, dayOf(MIDNIGHT)])
  const outcome = store.commitHead(commit).catch((error: unknown) => error)
  await terminate(await waiting())
  const error = await outcome
  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({ retryable: true })
  await holder.end()

  expect(await tableContents(database.pool)).toEqual(before)
  await store.commitHead(commit)
  expect(await rows('SELECT sum(swaps) AS swaps FROM day_total')).toEqual([{ swaps: '2' }])
})

it('a read whose connection dies fails with a retryable error, also through Prisma', async () => {
  const { store } = await writer('eth')
  const other = await session(database)
  await other.query('BEGIN; LOCK TABLE network IN ACCESS EXCLUSIVE MODE')
  const read = store.networkRow().catch((error: unknown) => error)
  await terminate(await waiting(`wait_event_type = 'Lock' AND query LIKE '%network%'`))
  expect(await read).toMatchObject({ name: 'StoreError', retryable: true })
  await other.query('ROLLBACK')
  expect(await store.networkRow()).toMatchObject({ network: 'eth' })
})

describe('the lease of a writer', () => {
  it('goes to the next process when it is released, and fences the commits of the last one', async () => {
    const { store, lease } = await writer('eth')
    const reasons: string[] = []
    const next = store.acquireWriter(AbortSignal.timeout(20_000), (reason) => reasons.push(reason))
    await waiting()
    await lease.release()
    const taken = await next
    closeAfter(() => taken.release())
    expect(taken.epoch).toBe(lease.epoch + 1)
    const late = following(lease.epoch, [header(1, MIDNIGHT)], [trade(1, MIDNIGHT)])
    await expect(store.commitHead(late)).rejects.toBeInstanceOf(LeaseLost)
    await expect(store.dropPoolStates(lease.epoch)).rejects.toBeInstanceOf(LeaseLost)
    const snapshots = { epoch: lease.epoch, headHash: header(1, 0).hash, states: [], ticks: [] }
    await expect(store.commitPoolStates(snapshots)).rejects.toBeInstanceOf(LeaseLost)
    expect(await rows('SELECT FROM swap')).toEqual([])
    await store.commitHead({ ...late, live: late.live && { ...late.live, epoch: taken.epoch } })
  })

  it('is awaited in a database that refuses writes, and each new reason is reported', async () => {
    const { store, lease } = await writer('eth')
    closeAfter(() => lease.release())
    const reasons: string[] = []
    const next = store.acquireWriter(AbortSignal.timeout(20_000), (reason) => reasons.push(reason))
    const pid = await waiting()
    const [{ name }] = await rows('SELECT current_database() AS name')
    await rows(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await terminate(pid)
    await lease.release()
    await expect.poll(() => reasons.at(-1)).toContain('read-only transaction')
    expect(reasons).toContainEqual(expect.stringMatching(/terminat/))
    await rows(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await (await next).release()
  })

  it('reports when its connection is lost, and then another process may acquire it', async () => {
    const { store, lease } = await writer('eth')
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'dexfeed writer eth'`,
    )
    await lease.lost
    const next = await store.acquireWriter(AbortSignal.timeout(20_000))
    closeAfter(() => next.release())
  })

  it('is no longer awaited once the signal aborts, and keeps no connection', async () => {
    const { store } = await writer('eth')
    const stop = new AbortController()
    const acquired = store.acquireWriter(stop.signal).catch((reason: unknown) => reason)
    await waiting()
    stop.abort()
    expect(await acquired).toMatchObject({ name: 'AbortError' })
  })

  it('of one network does not affect other networks', async () => {
    const { lease } = await writer('eth')
    const other = await writer('bsc')
    expect([lease.epoch, other.lease.epoch]).toEqual([1, 1])
  })

  it('is refused for a network that is not registered', async () => {
    const store = openIndexerStore(database, 'eth')
    await expect(store.acquireWriter(AbortSignal.timeout(20_000))).rejects.toThrow('not registered')
  })
})

it('a connection of the pool that dies while idle does not end the process', async () => {
  const client = await database.pool.connect()
  const { rows: found } = await client.query('SELECT pg_backend_pid() AS pid')
  client.release()
  const failed = new Promise((resolve) => database.pool.once('error', resolve))
  const killer = await session(database)
  await killer.query('SELECT pg_terminate_backend($1)', [found[0]?.pid])
  await failed
  expect(await rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
})
