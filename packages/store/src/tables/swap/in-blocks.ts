import type { BlockRange } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'

/** Clients choose some of these numbers: without the type, Postgres refuses those too great for the column. */
export function inBlocks(chainId: number, { from, to }: BlockRange): Prisma.Sql {
  return Prisma.sql`chain_id = ${chainId} AND block_number BETWEEN ${from}::bigint AND ${to}::bigint`
}
