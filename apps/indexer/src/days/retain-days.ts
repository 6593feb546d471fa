import { type BlockPoint, MINUTE } from '@dexfeed/dex'
import type { HeaderSource } from '../blocks/common-ancestor.ts'
import { type LoopContext, repeatStep } from '../loops/loop.ts'
import { findFirstKept, firstKeptDay } from './start-block.ts'

const POLL_MS = 10 * MINUTE

export interface RetentionOptions extends LoopContext {
  chain: HeaderSource
  store: {
    networkRow(): Promise<{ head: BlockPoint | null; start: BlockPoint | null } | null>
    raiseStart(start: BlockPoint): Promise<void>
    dropDaysBefore(day: number): Promise<readonly unknown[]>
  }
  retentionDays?: number | null
}

export async function retainDays(options: RetentionOptions, ended: AbortSignal): Promise<void> {
  const { retentionDays = null, log, clock } = options
  if (retentionDays === null) return
  let doubted: BlockPoint | null = null
  const step = async () => {
    doubted = await dropOldDays({ ...options, retentionDays }, doubted)
    return POLL_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'old days could not be dropped, trying again')
  await repeatStep({ ended, maxPauseMs: POLL_MS, clock }, step, onFailure)
}

/**
 * Drops days that are too old for the indexed head, so that a stopped chain loses nothing. Raises the start first. If
 * the first kept block is in doubt, the start becomes the lower block of this check and the last one (`doubted`), so
 * that one failure of the nodes does not move it. Returns the block to confirm next time.
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
