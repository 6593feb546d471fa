import type { Chain } from '@dexfeed/chain'
import { MINUTE } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from '../loops/indexer-log.ts'
import { type LoopClock, repeatStep } from '../loops/repeat-step.ts'
import { findFirstKept, firstKeptDay } from './start-block.ts'

/** Between two looks for days to drop. */
const LOOK_MS = 10 * MINUTE

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
  const step = () => dropOldDays({ ...options, retentionDays }).then(() => LOOK_MS)
  const onFailure = (error: unknown) => log.warn({ err: error }, 'old days could not be dropped, trying again')
  await repeatStep({ ended, longestPauseMs: LOOK_MS, clock }, step, onFailure)
}

/**
 * Drops what is too old by the network's own indexed head, so that a chain whose time stands still loses nothing. What
 * is no longer kept is no longer wanted either: the network's start moves on before the rows go.
 */
export async function dropOldDays(options: RetentionOptions & { retentionDays: number }): Promise<void> {
  const { chain, store, retentionDays, log } = options
  const row = await store.networkRow()
  if (row?.head == null || row.start === null) return
  const day = firstKeptDay(row.head.timestamp, retentionDays)
  const first = await findFirstKept(chain, row.head, retentionDays)
  if (row.start.number < first.number) await store.raiseStart(first)
  const dropped = await store.dropDaysBefore(day)
  if (dropped.length > 0) log.info({ dropped }, 'rows older than RETENTION_DAYS were dropped')
}
