import type { ReadHeader } from '@dexfeed/chain'
import { type BlockPoint, MINUTE } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import { findFirstKept, firstKeptDay } from './start-block.ts'

const POLL_MS = 10 * MINUTE

export interface RetentionOptions {
  chain: { head(): Promise<BlockPoint>; header: ReadHeader }
  store: Pick<IndexerStore, 'networkRow' | 'raiseStart' | 'dropDaysBefore'>
  /** How many days rows are kept; default: forever. */
  retentionDays?: number | null
  log: IndexerLog
  clock?: LoopClock
}

/** Drops the rows of days older than the retention. */
export async function retainDays(options: RetentionOptions, ended: AbortSignal): Promise<void> {
  const { retentionDays = null, log, clock } = options
  if (retentionDays === null) return
  let doubted: BlockPoint | null = null
  const step = async () => {
    doubted = await dropOldDays({ ...options, retentionDays }, doubted)
    return POLL_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'old days could not be dropped, trying again')
  await repeatStep({ ended, longestPauseMs: POLL_MS, clock }, step, onFailure)
}

/**
 * Drops days that are too old by the network's own indexed head, so that a chain whose time stops loses nothing.
 * Dropped blocks are no longer required: the network's start moves before the rows are deleted. It does not move
 * because nodes failed to return a block once: the lower result of this check and the previous one (`doubted`) counts.
 * Returns the block that the next check must confirm before the start moves to it, else null.
 */
export async function dropOldDays(
  options: RetentionOptions & { retentionDays: number },
  doubted: BlockPoint | null = null,
): Promise<BlockPoint | null> {
  const { chain, store, retentionDays, log } = options
  const row = await store.networkRow()
  if (row?.head == null || row.start === null) return null
  const day = firstKeptDay(row.head.timestamp, retentionDays)
  const { block, isSure } = await findFirstKept(chain, row.head, retentionDays)
  const first = isSure ? block : lowerOf(block, doubted)
  if (first !== null && row.start.number < first.number) await store.raiseStart(first)
  const dropped = await store.dropDaysBefore(day)
  if (dropped.length > 0) log.info({ dropped }, 'rows older than RETENTION_DAYS were dropped')
  return isSure ? null : block
}

function lowerOf(block: BlockPoint, other: BlockPoint | null): BlockPoint | null {
  return other !== null && other.number < block.number ? other : other && block
}
