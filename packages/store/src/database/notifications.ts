import { setTimeout as delay } from 'node:timers/promises'
import { type NetworkName, SECOND } from '@dexfeed/dex'
import type { Client } from 'pg'
import { Prisma } from '../generated/client.ts'
import type { Db } from './transaction.ts'

const CHANNEL = 'dexfeed'
const MAX_RETRY_MS = 5 * SECOND

export async function notify(tx: Db, network: NetworkName): Promise<void> {
  await tx.$executeRaw`SELECT ${notification(network)}`
}

export function notification(network: NetworkName): Prisma.Sql {
  return Prisma.sql`pg_notify(${CHANNEL}, ${network})`
}

export interface Listener {
  /** `network` is null after each (re)connection, because commits may have been missed. */
  onCommit(network: string | null): void
  onLost(error: unknown): void
}

/**
 * Reports every commit to `listener`, across reconnects, until the returned function is called. Bypasses Prisma, which
 * cannot LISTEN.
 */
export function listen(connect: () => Promise<Client>, listener: Listener): () => Promise<void> {
  const stopping = new AbortController()
  const done = keepListening(connect, listener, stopping.signal)
  return async () => {
    stopping.abort()
    await done
  }
}

async function keepListening(connect: () => Promise<Client>, listener: Listener, signal: AbortSignal): Promise<void> {
  let retryMs = 100
  while (!signal.aborted) {
    try {
      const client = await connect()
      retryMs = 100
      await listenOnce(client, listener, signal)
    } catch (error) {
      if (signal.aborted) return
      listener.onLost(error)
      await delay(retryMs, undefined, { signal }).catch(() => undefined)
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)
    }
  }
}

async function listenOnce(client: Client, listener: Listener, signal: AbortSignal): Promise<void> {
  const { promise: over, resolve, reject } = withResolvers()
  client.on('error', reject)
  client.on('end', () => reject(new Error('the connection ended')))
  signal.addEventListener('abort', resolve, { once: true })
  if (signal.aborted) resolve()
  // If the connection ends while the statement below runs, that statement fails, too, and nothing awaits `over`.
  over.catch(() => undefined)
  client.on('notification', ({ payload }) => listener.onCommit(payload ?? null))
  try {
    await client.query(`LISTEN ${CHANNEL}`)
    listener.onCommit(null)
    await over
  } finally {
    signal.removeEventListener('abort', resolve)
    await client.end().catch(() => undefined)
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let settle: [() => void, (error: unknown) => void] = [() => undefined, () => undefined]
  const promise = new Promise<void>((resolve, reject) => {
    settle = [resolve, reject]
  })
  return { promise, resolve: settle[0], reject: settle[1] }
}
