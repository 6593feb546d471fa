import type { BlockRange } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'
import { readRows } from '../../stored.ts'

// A cell is a group of blocks with a version, for readers that cache a rendering of their rows. What the follower adds
// above its head or rolls back changes no version: readers notice that by the head and the number of rollbacks.

export const CELL_BLOCKS = 32

/** How far lists of swaps reach back from the head, with a margin for clocks. */
const LISTED = Prisma.sql`interval '26 hours'`

export const NEW_VERSION = Prisma.sql`floor(random() * 9007199254740992)::bigint`

export function cellOf(block: number): number {
  return Math.floor(block / CELL_BLOCKS)
}

/**
 * After this, transactions lock only counters and covered ranges, so that no two wait for each other. Cells too old for
 * any list get no version.
 *
 * @param until time of the newest row, in seconds; null if unknown
 */
export async function touchCells(
  tx: Db,
  chainId: number,
  cells: Iterable<number>,
  until: number | null,
): Promise<void> {
  const touched = [...new Set(cells)]
  if (touched.length === 0) return
  await tx.$executeRaw`
    INSERT INTO list_cell (chain_id, cell, version, until)
    SELECT ${chainId}, cell, ${NEW_VERSION}, coalesce(to_timestamp(${until}::float8), head_time, now())
    FROM unnest(${touched}::bigint[]) AS cell, network
    WHERE chain_id = ${chainId} AND (head_time IS NULL OR ${until}::float8 IS NULL
      OR to_timestamp(${until}::float8) >= head_time - ${LISTED})
    ORDER BY cell
    ON CONFLICT (chain_id, cell) DO UPDATE SET version = excluded.version, until = excluded.until`
}

export async function touchBlocks(
  tx: Db,
  chainId: number,
  { from, to }: BlockRange,
  until: number | null,
): Promise<void> {
  const first = cellOf(from)
  const last = cellOf(to)
  const cells = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  await touchCells(tx, chainId, cells, until)
}

/** If a network's count and sum are unchanged, so are all its cells. */
export const CELL_SUMS = Prisma.sql`
  SELECT chain_id, count(*)::float8 AS cells, sum(version)::text AS versions FROM list_cell GROUP BY chain_id`

export interface CellSum {
  chain_id: number
  cells: number
  versions: string
}

/** A cell without a version has never changed. */
export async function readCellVersions(db: Db, chainId: number): Promise<Map<number, string>> {
  const query = Prisma.sql`SELECT cell, version::text FROM list_cell WHERE chain_id = ${chainId}`
  const rows = await readRows<{ cell: number; version: string }>(db, query)
  return new Map(rows.map(({ cell, version }) => [cell, version]))
}

export async function pruneCells(db: Db, chainId: number): Promise<void> {
  await db.$executeRaw`
    DELETE FROM list_cell USING network
    WHERE list_cell.chain_id = ${chainId} AND network.chain_id = ${chainId} AND until < head_time - ${LISTED}`
}
