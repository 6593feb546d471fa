import { type Deployment, NETWORKS } from '@dexfeed/dex'
import type { Client } from 'pg'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { asStoreError } from '../store-error.ts'
import { activate, deactivateUnclaimed } from '../tables/network.ts'

// Bypasses Prisma, because a claim is a session lock.

export interface NetworksClaim {
  /**
   * Claims the networks again if the connection was lost, and deactivates the networks of predecessors that have ended.
   * Call it regularly, one call at a time.
   */
  keep(): Promise<void>
  release(): Promise<void>
}

interface Session {
  readonly client: Client
  isGone: boolean
}

/**
 * Activates these networks, so that the API serves them even before their start is known. Deactivates networks that no
 * process claims, but keeps their rows. A process that claims some of these networks and also others is a predecessor
 * that ends soon; networks that only it claims stay active until then. Throws a StoreError, like `keep`.
 */
export async function claimNetworks(
  database: Database,
  deployments: readonly Pick<Deployment, 'network' | 'wrappedNative'>[],
): Promise<NetworksClaim> {
  const networks = deployments.map(({ network, wrappedNative }) => ({
    chainId: NETWORKS[network].chainId,
    name: network,
    wrappedNative,
  }))
  const ours = networks.map(({ chainId }) => chainId)
  let predecessors = new Map<number, number[]>()
  let session = await openSession(database, ours, async (client) => {
    // Reads the claims first: a process that ended between deactivating and reading would leave its networks active.
    predecessors = predecessorsOf(ours, await readClaims(client))
    await inTransaction(database, async (tx) => {
      await activate(tx, networks)
      await deactivateUnclaimed(tx, { notIn: ours })
    })
  })
  return {
    async keep() {
      if (session.isGone) {
        // Other processes may have lost their connections, too, so this deactivates none of their networks.
        session = await openSession(database, ours, () => inTransaction(database, (tx) => activate(tx, networks)))
      }
      if (predecessors.size === 0) return
      const claims = await readClaims(session.client)
      if ([...predecessors.keys()].some((backend) => claims.has(backend))) return
      const left = [...predecessors.values()].flat()
      await inTransaction(database, (tx) => deactivateUnclaimed(tx, { in: left }))
      predecessors.clear()
    },
    release: () => session.client.end().catch(() => {}),
  }
}

async function openSession(
  database: Database,
  chainIds: readonly number[],
  work: (client: Client) => Promise<void>,
): Promise<Session> {
  const client = await database.hold('dexfeed networks').catch((error: unknown) => {
    throw asStoreError(error)
  })
  const session = { client, isGone: false }
  const onGone = () => {
    session.isGone = true
  }
  client.on('error', onGone)
  client.on('end', onGone)
  try {
    const claim = 'SELECT pg_advisory_lock_shared($1, chain_id) FROM unnest($2::int[]) AS chain_id'
    await client.query(claim, [ADVISORY_LOCKS.claim, chainIds])
    await work(client)
    return session
  } catch (error) {
    await client.end().catch(() => {})
    throw asStoreError(error)
  }
}

function predecessorsOf(ours: readonly number[], claims: ReadonlyMap<number, number[]>): Map<number, number[]> {
  const isOurs = (chainId: number) => ours.includes(chainId)
  return new Map(
    [...claims]
      .filter(([, theirs]) => theirs.some(isOurs) && !theirs.every(isOurs))
      .map(([backend, theirs]) => [backend, theirs.filter((chainId) => !isOurs(chainId))]),
  )
}

async function readClaims(client: Client): Promise<Map<number, number[]>> {
  // pg_locks shows both halves of a lock's key as oids; objsubid 2 marks a two-part key.
  const { rows } = await client
    .query<{ pid: number; chain_ids: number[] }>(
      `SELECT pid, array_agg(objid::int) AS chain_ids FROM pg_locks
       WHERE locktype = 'advisory' AND classid = $1::int::oid AND objsubid = 2 AND mode = 'ShareLock' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()
       GROUP BY pid`,
      [ADVISORY_LOCKS.claim],
    )
    .catch((error: unknown) => {
      throw asStoreError(error)
    })
  return new Map(rows.map(({ pid, chain_ids }) => [pid, chain_ids]))
}
