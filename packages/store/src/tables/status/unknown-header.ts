import type { Db } from '../../database/transaction.ts'
import { Prisma, type UnknownHeader } from '../../generated/client.ts'
import { type Stored, secondsOf } from '../../stored.ts'

/** Blocks read without proof, because this version does not know some fields of their headers. */
export interface UnknownHeaders {
  from: number
  fields: readonly string[]
}

/** `since` is in seconds since 1970. */
export interface UnknownHeadersSince extends UnknownHeaders {
  since: number
}

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

export const UNKNOWN_HEADERS = Prisma.sql`SELECT * FROM unknown_header`

export function toUnknownHeaders({ from_block, fields, since }: Stored<UnknownHeader>): UnknownHeadersSince {
  return { from: Number(from_block), fields, since: secondsOf(since) }
}
