import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Client } from 'pg'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { asStoreError, codeOf, StoreError } from '../store-error.ts'
import { type NetworkKey, raiseEpoch } from '../tables/network.ts'

// Bypasses Prisma, because the lease is a session lock; the same connection raises the epoch.

export interface WriterLease {
  /** Commits with an older epoch are refused. */
  readonly epoch: number
  /**
   * Resolves when the connection is lost or silent, before the server gives the lease to another process. Does not
   * resolve after `release`.
   */
  readonly lost: Promise<void>
  release(): Promise<void>
}

const LOCK_NOT_AVAILABLE = '55P03'
/** Length of one attempt; a dead process keeps waiting on the server for at most this long. */
const WAIT_S = 5
const RECONNECT_MS = SECOND
const SESSION = `-c lock_timeout=${WAIT_S}s`

/**
 * Waits until this process is the only writer, even while the database is unreachable. Throws the signal's reason if
 * `signal` aborts, or a StoreError if a retry cannot help.
 *
 * @param onWait called with each new reason to wait
 */
export async function acquireWriter(
  database: Database,
  network: NetworkKey,
  signal: AbortSignal,
  onWait: (reason: string) => void = () => {},
): Promise<WriterLease> {
  const reasons = new Set<string>()
  const wait = (reason: string) => {
    if (!reasons.has(reason)) onWait(reason)
    reasons.add(reason)
  }
  for (;;) {
    signal.throwIfAborted()
    try {
      return await tryToAcquire(database, network, signal, wait)
    } catch (error) {
      signal.throwIfAborted()
      const failure = asStoreError(error)
      if (!failure.retryable) throw failure
      wait(failure.message)
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }
}

async function tryToAcquire(
  database: Database,
  network: NetworkKey,
  signal: AbortSignal,
  wait: (reason: string) => void,
): Promise<WriterLease> {
  const client = await database.hold(`dexfeed writer ${network.name}`, SESSION)
  const gone = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  const abort = () => void client.end().catch(() => {})
  signal.addEventListener('abort', abort, { once: true })
  try {
    // If the signal aborted while connecting, the listener was added too late to notice.
    signal.throwIfAborted()
    while (!(await lock(client, network.chainId))) wait(`another indexer writes ${network.name}`)
    const epoch = await nextEpoch(client, network)
    return leaseOf(client, epoch, gone)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Returns whether the lock was acquired within the session's lock_timeout. */
async function lock(client: Client, chainId: number): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_lock($1, $2)', [ADVISORY_LOCKS.writer, chainId])
    return true
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

async function nextEpoch(client: Client, network: NetworkKey): Promise<number> {
  const { text, values } = raiseEpoch(network.chainId)
  const { rows } = await client.query<{ epoch: string }>(text, values)
  const row = rows[0]
  if (!row) throw new StoreError(`${network.name} is not registered`, { retryable: false })
  return Number(row.epoch)
}

function leaseOf(client: Client, epoch: number, gone: Promise<void>): WriterLease {
  let released = false
  const lost = new Promise<void>((resolve) => {
    void gone.then(() => {
      if (!released) resolve()
    })
  })
  return {
    epoch,
    lost,
    async release() {
      released = true
      await client.end().catch(() => {})
    },
  }
}
