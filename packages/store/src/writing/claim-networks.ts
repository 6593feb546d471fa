import { type Deployment, NETWORKS } from '@dexfeed/dex'
import type { Client } from 'pg'
import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { asStoreError } from '../store-error.ts'
import { activate, deactivateUnclaimed } from '../tables/network.ts'

// Past Prisma: a claim is a lock of a session, and Prisma's sessions are its pool's.

/** That a process is to index some networks, for as long as it lives. Others may claim them, too. */
export interface NetworksClaim {
  /**
   * Claims the networks again where the connection was lost, and switches off what only predecessors had, once they are
   * gone. To be called now and then, one call at a time.
   *
   * @throws StoreError
   */
  keep(): Promise<void>
  /** To be called last. */
  release(): Promise<void>
}

interface Session {
  readonly client: Client
  isGone: boolean
}

/**
 * Switches these networks on: the API counts on each from then on, also on one whose nodes are down and whose start is
 * not known. Those that no process claims are switched off: their rows stay, and are not served. Processes that claim
 * one of ours beside others are taken for predecessors, which end soon: what only they have stays on until then.
 *
 * @throws StoreError
 */
export async function claimNetworks(
  database: Database,
  deployments: readonly Pick<Deployment, 'network' | 'wrappedNative'>[],
): Promise<NetworksClaim> {
  const networks = deployments.map(({ network, wrappedNative }) => ({
    ...{ chainId: NETWORKS[network].chainId, name: network, wrappedNative },
  }))
  const ours = networks.map(({ chainId }) => chainId)
  /** What they claim that is not ours, by the backends of their sessions. */
  let predecessors = new Map<number, number[]>()
  let session = await openSession(database, ours, async (client) => {
    // Read before it is looked who claims what: one that ends in between leaves nothing on.
    predecessors = predecessorsOf(ours, await readClaims(client))
    await inTransaction(database, async (tx) => {
      await activate(tx, networks)
      await deactivateUnclaimed(tx, { notIn: ours })
    })
  })
  return {
    async keep() {
      if (session.isGone) {
        // The connections of others may be gone, too: none of theirs is switched off.
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

/** A session that claims these networks. It ends when `work`, which comes then, fails. */
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

/** The chain ids that other sessions claim, by their backends. */
async function readClaims(client: Client): Promise<Map<number, number[]>> {
  // The halves of a lock's key are oids there, the kind of key is objsubid (Postgres' pg_locks).
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
