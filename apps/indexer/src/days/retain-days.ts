import type { Chain } from '@dexfeed/chain'
import { type BlockPoint, MINUTE } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import { findFirstKept, firstKeptDay } from './start-block.ts'

/** Between two looks for days to drop. */
const POLL_MS = 10 * MINUTE

export interface RetentionOptions {
  chain: Pick<Chain, 'head' | 'header'>
  store: Pick<IndexerStore, 'networkRow' | 'raiseStart' | 'dropDaysBefore'>
  /** For how many days rows are kept; default: for ever. */
  retentionDays?: number | null
  log: IndexerLog
  clock?: LoopClock
}

/** Drops the rows of days that are older than is to be kept. */
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
 * Drops what is too old by the network's own indexed head, so that a chain whose time stands still loses nothing. What
 * is no longer kept is no longer wanted either: the network's start moves on before the rows go. It never moves because
 * nodes did not show a block once: only where they did not at the look before either, and no further than both looks say.
 *
 * @param doubted what the look before gave
 * @returns the block that is to be found again before the start moves to it; null: none
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
