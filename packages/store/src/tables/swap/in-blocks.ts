import type { BlockRange } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'

/**
 * The condition that rows of `swap` or `swap_hop` are in a network's blocks (the key of each partition). Clients choose
 * some of these numbers: without the type, Postgres refuses those that are greater than the column can hold.
 */
export function inBlocks(chainId: number, { from, to }: BlockRange): Prisma.Sql {
  return Prisma.sql`chain_id = ${chainId} AND block_number BETWEEN ${from}::bigint AND ${to}::bigint`
}
