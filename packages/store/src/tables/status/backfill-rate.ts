import type { Db } from '../../database/transaction.ts'
import { type BackfillRate, Prisma } from '../../generated/client.ts'
import type { Stored } from '../../stored.ts'

export const FRESH_RATES = Prisma.sql`
  SELECT chain_id, blocks_per_s::float8 AS blocks_per_s FROM backfill_rate
  WHERE measured_at > now() - interval '1 minute'`
export type FreshRate = Pick<Stored<BackfillRate>, 'chain_id'> & { blocks_per_s: number }

export async function writeBackfillRate(db: Db, chainId: number, blocksPerS: number): Promise<void> {
  // Uses the server's clock, which also decides whether a rate is fresh.
  await db.$executeRaw`
    INSERT INTO backfill_rate (chain_id, blocks_per_s, measured_at) VALUES (${chainId}, ${blocksPerS}, now())
    ON CONFLICT (chain_id) DO UPDATE SET blocks_per_s = excluded.blocks_per_s, measured_at = excluded.measured_at`
}
