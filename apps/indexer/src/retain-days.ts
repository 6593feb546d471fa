import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import type { IndexerStore } from '@dexfeed/store'
import type { IndexerLog } from './indexer-log.ts'
import { repeatStep } from './repeat-step.ts'
import { findFirstKept, firstKeptDay } from './start-block.ts'

const MINUTE = 60_000
/** Between two looks for days to drop. */
const LOOK_MS = 10 * MINUTE

export interface RetentionDependencies {
  chain: Pick<Chain, 'head' | 'header'>
  store: Pick<IndexerStore, 'networkRow' | 'raiseStart' | 'dropDaysBefore'>
  retentionDays: number
  log: IndexerLog
  clock?: Pick<Clock, 'sleep'> | undefined
}

/** Drops the rows of days that are older than is to be kept, until the signal aborts. */
export async function retainDays(dependencies: RetentionDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock = systemClock } = dependencies
  const step = async () => {
    await dropOldDays(dependencies)
    await clock.sleep(LOOK_MS, ended)
    return !ended.aborted
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'old days could not be dropped, trying again')
  await repeatStep({ signal: ended, longestPauseMs: LOOK_MS, clock }, step, failed)
}

/**
 * Drops what is too old by the network's own indexed head, so that a chain whose time stands still loses nothing. What
 * is no longer kept is no longer wanted either: the network's start moves on before the rows go.
 */
export async function dropOldDays({ chain, store, retentionDays, log }: RetentionDependencies): Promise<void> {
  const row = await store.networkRow()
  if (row?.head == null) return
  const day = firstKeptDay(row.head.timestamp, retentionDays)
  const first = await findFirstKept(chain, row.head, retentionDays)
  if (row.start.number < first.number) await store.raiseStart(first)
  const dropped = await store.dropDaysBefore(day)
  if (dropped.length > 0) log.info({ dropped }, 'rows older than RETENTION_DAYS were dropped')
}
