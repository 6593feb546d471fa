import type { Db } from '../../database/transaction.ts'
import { Prisma, type UnknownHeader } from '../../generated/client.ts'
import { type Stored, secondsOf } from '../../stored.ts'

// The table has one row per network, found by unknown_header_pkey.

/** Blocks that are read without proof, because this version of the indexer does not know fields of their headers. */
export interface UnknownHeaders {
  /** The first of these blocks. */
  from: number
  /** Names of the unknown fields. */
  fields: readonly string[]
}

/** The same, with the time (seconds since 1970) since which a process reports it. */
export interface UnknownHeadersSince extends UnknownHeaders {
  since: number
}

/**
 * Notes that a process reads such blocks now. This counts for two minutes, so the process must repeat it. A process
 * that reads none (null) reports that, too, which ends a note that was not repeated in time.
 */
export async function noteUnknownHeaders(db: Db, chainId: number, headers: UnknownHeaders | null): Promise<void> {
  if (headers === null) {
    await db.$executeRaw`DELETE FROM unknown_header WHERE chain_id = ${chainId} AND until < now()`
    return
  }
  const { from, fields } = headers
  await db.$executeRaw`
    INSERT INTO unknown_header AS noted (chain_id, from_block, fields, since, until)
    VALUES (${chainId}, ${from}, ${[...fields]}::text[], now(), now() + interval '2 minutes')
    ON CONFLICT (chain_id) DO UPDATE SET until = excluded.until, fields = excluded.fields,
      since = CASE WHEN noted.until > now() THEN noted.since ELSE excluded.since END,
      from_block = CASE WHEN noted.until > now() THEN least(noted.from_block, excluded.from_block)
        ELSE excluded.from_block END
    WHERE noted.until < now() + interval '1 minute' OR noted.from_block > excluded.from_block`
}

/** Selects the unknown headers of all networks. */
export const UNKNOWN_HEADERS = Prisma.sql`SELECT * FROM unknown_header`

export function toUnknownHeaders({ from_block, fields, since }: Stored<UnknownHeader>): UnknownHeadersSince {
  return { from: Number(from_block), fields, since: secondsOf(since) }
}
