import { dayOf, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockDays, lockRows } from '../database/locks.ts'
import { inTransaction } from '../database/transaction.ts'
import { countAwaitedValues, moveKnownValues } from '../tables/awaited-value.ts'
import { addSettled } from '../tables/day-total.ts'
import { markLakeDays } from '../tables/lake-day.ts'
import { cellsOfLiquidity } from '../tables/liquidity-event.ts'
import { addSettledHours } from '../tables/rollups/hour-volume.ts'
import { touchCells } from '../tables/swap/list-cell.ts'
import { cellsOfTokens } from '../tables/swap/swap.ts'
import { insertTokens } from '../tables/token.ts'

/**
 * Settles a limited number of values per call, and drops values with a token that has no usable decimals. Returns how
 * many values still wait.
 */
export async function settleAwaitedValues(
  database: Database,
  chainId: number,
  tokens: readonly Token[],
): Promise<number> {
  if (tokens.length === 0) {
    const { waiting, known } = await countAwaitedValues(database.prisma, chainId)
    if (known === 0) return waiting
  }
  return inTransaction(database, async (tx) => {
    await lockRows(tx, chainId, 'shared')
    await insertTokens(tx, chainId, tokens)
    // From now on, the rows of these tokens show token names, even if no value waits for them.
    const addresses = tokens.map(({ address }) => address)
    const named = addresses.length === 0 ? [] : await cellsOfTokens(tx, chainId, addresses)
    if (addresses.length > 0) named.push(...(await cellsOfLiquidity(tx, chainId, addresses)))
    const { known } = await countAwaitedValues(tx, chainId)
    const settled = known === 0 ? [] : await moveKnownValues(tx, chainId)
    await touchCells(tx, chainId, [...named, ...settled.flatMap(({ cells }) => cells)], null)
    if (settled.length > 0) {
      const days = settled.map(({ hour }) => dayOf(hour))
      await lockDays(tx, days, 'shared')
      await addSettledHours(tx, chainId, settled)
      for (const ofHour of settled) await addSettled(tx, chainId, ofHour)
      await markLakeDays(tx, [chainId], days)
    }
    return (await countAwaitedValues(tx, chainId)).waiting
  })
}
