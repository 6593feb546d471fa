import type { Readable } from 'node:stream'
import { dateOfDay, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { to as copyTo } from 'pg-copy-streams'
import type { Database } from '../database/database.ts'
import { withSnapshot } from '../database/reading-session.ts'
import { Prisma } from '../generated/client.ts'
import { type CopiedRows, copying } from '../tables/copied-rows.ts'
import { COPIED_TOTALS } from '../tables/day-total.ts'
import { isDayComplete } from '../tables/lake-day.ts'
import { COPIED_LIQUIDITY, COPIED_POOLS_OF_LIQUIDITY } from '../tables/liquidity-event.ts'
import { COPIED_ANCHORS } from '../tables/network.ts'
import { copiedPools } from '../tables/pool.ts'
import { COPIED_CANDLES } from '../tables/rollups/pool-candle.ts'
import { COPIED_HOPS, COPIED_HOPS_OF_DAY } from '../tables/rollups/price-rule.ts'
import { COPIED_SWAPS } from '../tables/swap/swap.ts'
import { COPIED_TOKENS } from '../tables/token.ts'

// Bypasses Prisma to read a day by COPY: its 30 million rows would take hours as objects.

const POOL_KEYS = Prisma.sql`
  SELECT pool_key FROM (${COPIED_HOPS_OF_DAY}) AS hop UNION ${COPIED_POOLS_OF_LIQUIDITY}`

/** What a day consists of; `copied-rows.ts` says how the columns are sent. */
export const ROWS_OF_DAY = {
  anchors: COPIED_ANCHORS,
  candles: COPIED_CANDLES,
  hops: COPIED_HOPS,
  liquidity: COPIED_LIQUIDITY,
  pools: copiedPools(POOL_KEYS),
  swaps: COPIED_SWAPS,
  tokens: COPIED_TOKENS,
  totals: COPIED_TOTALS,
} as const satisfies Record<string, CopiedRows>

export type RowsName = keyof typeof ROWS_OF_DAY

export interface RowsOfDay {
  /** Passes the rows as lines of text to `take`, and returns their number. Call it once at a time. */
  copy(rows: RowsName, take: (text: Readable) => Promise<void>): Promise<number>
}

/**
 * Candles of a day are sorted in this memory, and beyond it on disk, without workers: heads need the other cores. Readers
 * pause while they sort millions of rows.
 */
const SETTINGS = {
  work_mem: '64MB',
  max_parallel_workers_per_gather: '0',
  idle_in_transaction_session_timeout: '1h',
}

/**
 * Runs `work` in a snapshot that begins now. Returns null if the day (since 1970, UTC) is not complete in it. Throws like
 * `withSnapshot`, or what `work` throws.
 */
export async function readRowsOfDay<T>(
  database: Database,
  { network, day, signal }: { network: NetworkName; day: number; signal: AbortSignal },
  work: (rows: RowsOfDay) => Promise<T>,
): Promise<T | null> {
  const { chainId } = NETWORKS[network]
  const settings = { ...SETTINGS, 'dexfeed.chain_id': String(chainId), 'dexfeed.day': dateOfDay(day) }
  const failure = new AbortController()
  return withSnapshot(database, AbortSignal.any([signal, failure.signal]), async (tx, client) => {
    if (!(await isDayComplete(tx, chainId, day))) return null
    for (const [name, value] of Object.entries(settings))
      await tx.$executeRaw`SELECT set_config(${name}, ${value}, true)`
    const copy = async (name: RowsName, take: (text: Readable) => Promise<void>) => {
      const text = client.query(copyTo(copying(ROWS_OF_DAY[name])))
      await take(text)
      // The number of rows follows the rows.
      await client.query('SELECT')
      return text.rowCount
    }
    try {
      return await work({ copy })
    } catch (error) {
      // The session may still be sending rows, so only its end ends the transaction.
      failure.abort(error)
      throw error
    }
  })
}
