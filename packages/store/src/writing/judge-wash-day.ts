import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { dueDay, flagPools, noteJudged, thresholdsText, type WashDay, type WashThresholds } from '../tables/wash.ts'

/**
 * Judges the pools of the newest day that is due. A day is due when it is over, covered from beginning to end, final,
 * and not yet judged with its present total and these thresholds. The result depends on the day's rows alone.
 *
 * @returns null when no day is due
 */
export async function judgeWashDay(
  database: Pick<Database, 'pool' | 'prisma'>,
  chainId: number,
  thresholds: WashThresholds,
): Promise<WashDay | null> {
  const text = thresholdsText(thresholds)
  // All statements on the day see the same snapshot.
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
