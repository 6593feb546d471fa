import type { Db } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'

/** In the last minute. Each item of a batch counts. */
export interface EndpointUse {
  /** Position in the setting, from 1; the URL is not stored, because it may contain a key. */
  endpoint: number
  items: number
  refused: number
  /** Items without a reply for another reason. */
  failed: number
  /** Items or compute units; null if no limit is known. */
  budgetPerS: number | null
}

export interface QueueCounts {
  waiting: number
  taken: number
  failed: number
  /** Null if no history is missing, because the queue is not read then. */
  workers: number | null
}

export interface NetworkActivity {
  endpoints: readonly EndpointUse[]
  queue: QueueCounts | null
}

const OUTDATED = Prisma.sql`interval '1 minute'`

export async function writeNetworkActivity(
  db: Db,
  chainId: number,
  { endpoints, queue }: NetworkActivity,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO network_activity (chain_id, reported_at, endpoints, queue)
    VALUES (${chainId}, now(), ${JSON.stringify(endpoints)}::jsonb, ${queue && JSON.stringify(queue)}::jsonb)
    ON CONFLICT (chain_id) DO UPDATE
      SET reported_at = excluded.reported_at, endpoints = excluded.endpoints, queue = excluded.queue`
}

export async function readNetworkActivity(db: Db): Promise<Map<number, NetworkActivity>> {
  const rows = await db.$queryRaw<(NetworkActivity & { chainId: number })[]>`
    SELECT chain_id AS "chainId", endpoints, queue FROM network_activity WHERE reported_at > now() - ${OUTDATED}`
  return new Map(rows.map(({ chainId, endpoints, queue }) => [chainId, { endpoints, queue }]))
}
