import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { dueDay, flagPools, noteJudged, thresholdsText, type WashDay, type WashThresholds } from '../tables/wash.ts'

/**
 * Judges the pools of the newest day that is due: over, covered from its beginning to its end, final, and not judged
 * yet as its total now is and by these thresholds. What comes out depends on the day's rows alone.
 *
 * @returns null when no day is due
 */
export async function judgeWashDay(
  database: Pick<Database, 'pool' | 'prisma'>,
  chainId: number,
  thresholds: WashThresholds,
): Promise<WashDay | null> {
  const text = thresholdsText(thresholds)
  // The day's statements see one state of it.
  const isolation = 'RepeatableRead'
  return inTransaction(
    database,
    async (tx) => {
      const day = await dueDay(tx, chainId, text)
      if (day === null) return null
      await flagPools(tx, chainId, day, thresholds)
      return noteJudged(tx, chainId, day, text)
    },
    isolation,
  )
}
