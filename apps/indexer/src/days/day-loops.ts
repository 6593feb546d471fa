import { type BlockPoint, MINUTE, SECOND } from '@dexfeed/dex'
import type { WashDay, WashThresholds } from '@dexfeed/store'
import type { HeaderSource } from '../blocks/common-ancestor.ts'
import { type LoopContext, repeatLogged } from '../loops/loop.ts'
import { firstDayToKeep, type LakeReports, type RetainingLake, reportLost } from './lake-days.ts'
import { type RestoreOptions, restoreDays } from './restore-days.ts'
import { findFirstKept, firstKeptDay } from './start-block.ts'

const RETENTION_POLL_MS = 10 * MINUTE

interface RetentionOptions extends LakeReports, LoopContext {
  chain: HeaderSource
  store: {
    networkRow(): Promise<{ head: BlockPoint | null; start: BlockPoint | null } | null>
    raiseStart(start: BlockPoint): Promise<void>
    dropDaysBefore(
      day: number,
      lake: {
        firstToKeep(unwritten: number | null): number
        onLost(unwritten: number, kept: number): void
      } | null,
    ): Promise<readonly unknown[]>
    firstUnwrittenDay(): Promise<number | null>
  }
  lake?: RetainingLake | null
  retentionDays?: number | null
}

/** Drops old days, and restores those since `restoreSince`. */
export async function retainDays(options: RetentionOptions & RestoreOptions, ended: AbortSignal): Promise<void> {
  const { retentionDays = null, log, clock } = options
  let doubted: BlockPoint | null = null
  const step = async () => {
    if (retentionDays !== null) doubted = await dropOldDays({ ...options, retentionDays }, doubted)
    await restoreDays(options)
    return RETENTION_POLL_MS
  }
  await repeatLogged(
    { ended, maxPauseMs: RETENTION_POLL_MS, log, clock },
    'old days could not be dropped or restored, trying again',
    step,
  )
}

/**
 * Drops old days; with a lake, only those that are in it. Age counts from the indexed head, so that a stopped chain loses
 * nothing. Raises the start first. If the first kept block is in doubt, the start becomes the lower block of this check and
 * the last one (`doubted`), so that one failure of the nodes does not move it. Returns the block to confirm next time.
 */
export async function dropOldDays(
  options: RetentionOptions & { retentionDays: number },
  doubted: BlockPoint | null = null,
): Promise<BlockPoint | null> {
  const { chain, store, retentionDays, lake = null, log } = options
  const row = await store.networkRow()
  if (row?.head == null || row.start === null) return null
  const wanted = firstKeptDay(row.head.timestamp, retentionDays)
  const isDiskLow = lake !== null && (await lake.isDiskLow())
  const firstToKeep = (unwritten: number | null) => firstDayToKeep(wanted, unwritten, isDiskLow)
  const day = firstToKeep(lake === null ? null : await store.firstUnwrittenDay())
  const { block, isSure } = await findFirstKept(chain, row.head, retentionDays + wanted - day)
  const first = isSure ? block : lowerOf(block, doubted)
  if (first !== null && row.start.number < first.number) await store.raiseStart(first)
  const onLost = (unwritten: number, kept: number) => reportLost(options, unwritten, kept)
  // A repair may have changed a day meanwhile.
  const dropped = await store.dropDaysBefore(day, lake && { firstToKeep, onLost })
  if (dropped.length > 0) log.info({ dropped }, 'rows older than RETENTION_DAYS were dropped')
  return isSure ? null : block
}

function lowerOf(block: BlockPoint, other: BlockPoint | null): BlockPoint | null {
  return other !== null && other.number < block.number ? other : other && block
}

export interface WashReports {
  onWashDay?: ((day: WashDay) => void) | null
}

interface WashOptions extends WashReports, LoopContext {
  store: {
    judgeWashDay(thresholds: WashThresholds): Promise<WashDay | null>
    lastWashDay(): Promise<WashDay | null>
  }
  wash?: WashThresholds | null
}

/** Judges each day that is over, final and covered. */
export async function judgeWashDays(
  { store, log, clock, wash = null, onWashDay = null }: WashOptions,
  ended: AbortSignal,
): Promise<void> {
  if (wash === null) return
  let newest: string | null = null
  const step = async () => {
    if (newest === null) {
      const last = await store.lastWashDay()
      if (last !== null) onWashDay?.(last)
      newest = last?.day ?? ''
    }
    const day = await store.judgeWashDay(wash)
    if (day === null) return MINUTE
    log.info(day, 'checked a day for wash trading')
    // A day that history filled in may be older than the last one reported.
    if (day.day >= newest) onWashDay?.(day)
    if (day.day > newest) newest = day.day
    return 0
  }
  await repeatLogged({ ended, log, clock }, 'could not check a day for wash trading, trying again', step)
}

/** The head waits while a step runs, so steps are short and take at most half of the time. */
const STEP_TRADES = 2_000

interface OrderFlowOptions extends LoopContext {
  store: { fillOrderFlow(trades: number): Promise<boolean> }
}

/** Counts the buys of candles that an older version wrote. Ends when all are counted. */
export async function fillOrderFlow({ store, log, clock }: OrderFlowOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    const began = performance.now()
    return (await store.fillOrderFlow(STEP_TRADES)) ? performance.now() - began : null
  }
  await repeatLogged(
    { ended, maxPauseMs: MINUTE, log, clock },
    'the buys of old candles could not be counted, trying again',
    step,
  )
}

const INDEX_POLL_MS = 10 * SECOND

interface SearchIndexOptions extends LoopContext {
  store: { buildSearchIndexes(signal: AbortSignal): Promise<readonly unknown[]> }
}

export async function buildSearchIndexes({ store, log, clock }: SearchIndexOptions, ended: AbortSignal): Promise<void> {
  const step = async () => {
    const built = await store.buildSearchIndexes(ended)
    if (built.length > 0) log.info({ built }, 'built the search indexes of days that are complete')
    return INDEX_POLL_MS
  }
  await repeatLogged({ ended, maxPauseMs: MINUTE, log, clock }, 'search indexes could not be built, trying again', step)
}
