import type { Database } from '../database/database.ts'
import { readNetwork } from '../tables/network.ts'
import { prunePoolStates } from '../tables/pool-state.ts'
import { pruneTicks } from '../tables/pool-tick.ts'
import { pruneCells } from '../tables/swap/list-cell.ts'

/**
 * Deletes versions of pool states and ticks that no rollback can need: those older than the newest final one. Also
 * deletes versions of cells that no list shows any more. It neither blocks commits nor waits for them: no commit writes
 * what is deleted here.
 *
 * @param after the final block of the previous call; what it replaced is already deleted
 * @returns the final block
 */
export async function pruneStates(
  { prisma }: Pick<Database, 'prisma'>,
  chainId: number,
  after: number,
): Promise<number> {
  const final = (await readNetwork(prisma, chainId))?.finalNumber ?? null
  if (final === null || final <= after) return after
  await prunePoolStates(prisma, chainId, { after, final })
  await pruneTicks(prisma, chainId, { after, final })
  await pruneCells(prisma, chainId)
  return final
}
