import type { Chain } from '@dexfeed/chain'
import {
  type BlockPoint,
  type CoveredRange,
  dateOfDay,
  dayOf,
  type NetworkName,
  SECOND,
  startOfDay,
} from '@dexfeed/dex'
import type { Restoration } from '@dexfeed/store'
import type { LoopContext } from '../loops/loop.ts'
import { firstBlockSince, headerOf } from './start-block.ts'

/** A network that this process indexes. */
export interface RestorableNetwork {
  network: NetworkName
  chain: Pick<Chain, 'header' | 'readRange'>
  store: {
    networkRow(): Promise<{ head: BlockPoint | null } | null>
    coveredRanges(): Promise<CoveredRange[]>
  }
}

export interface RestoreOptions extends LoopContext {
  store: {
    keptSince(): Promise<number | null>
    restoreDays(restoration: Restoration): Promise<'restored' | 'kept' | 'rows-left'>
    dropDaysBefore(day: number): Promise<unknown>
  }
  restorable?: readonly RestorableNetwork[] | undefined
  retentionDays?: number | null
  /** In days since 1970 (UTC); if null, nothing is restored. */
  restoreSince?: number | null
}

/**
 * Restores dropped days from `restoreSince` on, so that history fills them in again: those that `retentionDays` keeps,
 * and of each network those that it once covered. Age counts from the later of heads and clock, so that neither a chain that stops nor a
 * reorg at midnight restores a day.
 */
export async function restoreDays(options: RestoreOptions): Promise<void> {
  const { store, restorable = [], retentionDays = null, restoreSince = null, log } = options
  const since = await store.keptSince()
  if (since === null || restoreSince === null) return
  const indexed = await Promise.all(restorable.map(withHead))
  const times = indexed.map(({ head }) => head?.timestamp ?? 0)
  const today = dayOf(Math.max(Date.now() / SECOND, ...times))
  const first = retentionDays === null ? restoreSince : Math.max(restoreSince, today - retentionDays)
  if (first >= dayOf(since)) return
  const networks: Map<NetworkName, Restored> = new Map()
  for (const { network, chain, covered, head } of indexed) {
    if (head === null || covered === undefined) continue
    const restored = await findRestored(network, chain, { head, covered, first })
    // Before anything is deleted: the nodes may have the headers, but not the logs.
    await chain.readRange(restored.start.number, restored.start.number)
    networks.set(network, restored)
  }
  let outcome = await store.restoreDays({ first, networks })
  if (outcome === 'rows-left') {
    await store.dropDaysBefore(dayOf(since))
    outcome = await store.restoreDays({ first, networks })
  }
  if (outcome === 'restored') {
    log.info({ first: dateOfDay(first) }, 'restored dropped days: history fills them in again')
  }
}

async function withHead({ network, chain, store }: RestorableNetwork) {
  const head = (await store.networkRow())?.head ?? null
  // Coverage of dropped days stays.
  const [covered] = await store.coveredRanges()
  return { network, chain, head, covered }
}

interface Restored {
  start: BlockPoint
  before: BlockPoint | null
}

async function findRestored(
  network: NetworkName,
  chain: RestorableNetwork['chain'],
  { head, covered, first }: { head: BlockPoint; covered: CoveredRange; first: number },
): Promise<Restored> {
  if (dayOf(covered.fromTime) >= first) {
    return { start: { number: covered.from, timestamp: covered.fromTime }, before: null }
  }
  const start = await firstBlockSince(chain, head, startOfDay(first))
  const before = start.number === 0 ? null : await headerOf(chain, start.number - 1)
  if (before === null && start.number > 0) {
    throw new Error(`the nodes of ${network} keep no blocks before ${start.number}: set RESTORE_SINCE to a later day`)
  }
  return { start, before }
}
