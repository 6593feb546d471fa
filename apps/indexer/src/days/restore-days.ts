import type { Chain } from '@dexfeed/chain'
import { type BlockPoint, type CoveredRange, dateOfDay, dayOf, SECOND, startOfDay } from '@dexfeed/dex'
import type { LoopContext } from '../loops/loop.ts'
import { firstBlockSince, headerOf } from './start-block.ts'

/** The first block to require again, and the one before it: null if there is none, or if it is not known. */
interface Restored {
  start: BlockPoint
  before: BlockPoint | null
}

export interface RestoreOptions extends LoopContext {
  chain: Pick<Chain, 'header' | 'readRange'>
  store: {
    networkRow(): Promise<{ head: BlockPoint | null; start: BlockPoint | null } | null>
    keptSince(): Promise<number | null>
    coveredRanges(): Promise<CoveredRange[]>
    restoreDays(restored: Restored): Promise<boolean>
    dropDaysBefore(day: number): Promise<unknown>
  }
  retentionDays?: number | null
}

/**
 * Lets history fill in days again that were dropped, if `retentionDays` keeps them now, as far as the network once was
 * indexed. Age counts from the later of head and clock, so that neither a chain that stops nor a reorg at midnight
 * restores a day.
 */
export async function restoreDays(options: RestoreOptions): Promise<void> {
  const { chain, store, retentionDays = null, log } = options
  const row = await store.networkRow()
  const since = await store.keptSince()
  if (since === null || row?.head == null || row.start === null) return
  const { head, start } = row
  const today = dayOf(Math.max(head.timestamp, Date.now() / SECOND))
  const wanted = retentionDays === null ? Number.NEGATIVE_INFINITY : today - retentionDays
  const isMissing = ({ number, timestamp }: BlockPoint) => timestamp < since || number < start.number
  if (wanted >= dayOf(Math.max(since, start.timestamp))) return
  const restored = await findRestored(options, head, wanted, await firstIndexed(store, start))
  if (!isMissing(restored.start)) return
  // Before anything is deleted: the nodes may have the headers, but not the logs.
  await chain.readRange(restored.start.number, restored.start.number)
  let isRestored = await store.restoreDays(restored)
  if (!isRestored) {
    await store.dropDaysBefore(dayOf(since))
    isRestored = await store.restoreDays(restored)
  }
  const first = dateOfDay(dayOf(restored.start.timestamp))
  if (isRestored) log.info({ first }, 'days that were dropped are filled in again')
}

/** Coverage of dropped days stays. */
async function firstIndexed(store: RestoreOptions['store'], start: BlockPoint): Promise<BlockPoint> {
  const [first] = await store.coveredRanges()
  return first !== undefined && first.from < start.number ? { number: first.from, timestamp: first.fromTime } : start
}

async function findRestored(
  { chain, log }: RestoreOptions,
  head: BlockPoint,
  wanted: number,
  indexed: BlockPoint,
): Promise<Restored> {
  if (dayOf(indexed.timestamp) >= wanted) return { start: indexed, before: null }
  const found = await withBefore(chain, await firstBlockSince(chain, head, startOfDay(wanted)))
  if (found.start.number === 0 || found.before !== null) return found
  // Perhaps not all of that day.
  log.warn({ from: found.start.number }, 'the nodes keep no older blocks: history starts here')
  return withBefore(chain, await firstBlockSince(chain, head, startOfDay(dayOf(found.start.timestamp) + 1)))
}

async function withBefore(chain: RestoreOptions['chain'], start: BlockPoint): Promise<Restored> {
  return { start, before: start.number === 0 ? null : await headerOf(chain, start.number - 1) }
}
