import { type Deployment, NETWORKS } from '@dexfeed/dex'
import type { Client } from 'pg'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { asStoreError } from '../store-error.ts'
import { activate, deactivateUnclaimed } from '../tables/network.ts'

// Past Prisma: a claim is a lock of a session, and Prisma manages its own sessions in a pool.

/** A process's claim to index some networks, for as long as it lives. Several processes may claim the same network. */
export interface NetworksClaim {
  /**
   * Claims the networks again if the connection was lost. Deactivates networks that only predecessors claimed, once
   * these have ended. Call it regularly, one call at a time.
   *
   * @throws StoreError
   */
  keep(): Promise<void>
  /** Call it last. */
  release(): Promise<void>
}

interface Session {
  readonly client: Client
  isGone: boolean
}

/**
 * Activates these networks: the API serves each from then on, even one whose nodes are down and whose start is unknown.
 * Networks that no process claims are deactivated: their rows remain, but are not served. Processes that claim one of
 * our networks and others besides are treated as predecessors that end soon. What only they claim stays active until
 * then.
 *
 * @throws StoreError
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
  /** Networks that predecessors claim and we do not, by the backend of their session. */
  let predecessors = new Map<number, number[]>()
  let session = await openSession(database, ours, async (client) => {
    // Read before deactivating by claims: a process that ends in between then leaves no network active.
    predecessors = predecessorsOf(ours, await readClaims(client))
    await inTransaction(database, async (tx) => {
      await activate(tx, networks)
      await deactivateUnclaimed(tx, { notIn: ours })
    })
  })
  return {
    async keep() {
      if (session.isGone) {
        // The connections of other processes may be lost, too: deactivate none of their networks.
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

/** Opens a session that claims these networks, then runs `work`. The session ends if `work` fails. */
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

/** Returns the chain ids that other sessions claim, by their backends. */
async function readClaims(client: Client): Promise<Map<number, number[]>> {
  // In pg_locks both halves of a lock's key are oids; objsubid is the kind of key.
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
