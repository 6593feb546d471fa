import type { Chain } from '@dexfeed/chain'
import { MINUTE, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { IndexerStore, UnreadChanges, VenueCoverage } from '@dexfeed/store'
import type { VenueCounts } from '../blocks/venue-counts.ts'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import type { FollowedPools } from './pool-states/followed-pools.ts'
import { TOP_POOLS } from './pool-states/pool-ranks.ts'

/** How often the budgets are looked at: those that are learnt change. */
const BUDGET_MS = 30 * SECOND

export interface ReportBudgetOptions {
  chain: Pick<Chain, 'budgetShortfall'>
  store: Pick<IndexerStore, 'setBudgetShortfall'>
  log: IndexerLog
  clock?: LoopClock
}

/** Says in the log and in the network's row that the endpoints' budgets are too small to follow the head, or no longer. */
export async function reportBudget(
  { chain, store, log, clock }: ReportBudgetOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  let reported: string | null | undefined
  const step = async () => {
    const shortfall = chain.budgetShortfall()
    if (shortfall === reported) return BUDGET_MS
    // What another process has told before counts no longer; nor is it known what a write that fails leaves.
    reported = undefined
    await store.setBudgetShortfall(shortfall, epoch)
    if (shortfall !== null) log.warn({ shortfall }, 'the head does not fit into the RPC budget')
    reported = shortfall
    return BUDGET_MS
  }
  await repeatStep({ ended, clock }, step, (error) => log.debug({ err: error }, 'the budget could not be told'))
}

export interface ReportVenuesOptions {
  venues: Pick<VenueCounts, 'restore' | 'counts'>
  store: Pick<IndexerStore, 'venueCoverage' | 'setVenueCoverage'>
  log: IndexerLog
  clock?: LoopClock
  /** Is called with what is stored. */
  onVenues?: (coverage: VenueCoverage) => void
}

/** Goes on with what was counted of venues that are not read, and stores it every minute. */
export async function reportVenues(
  { venues, store, log, clock, onVenues = () => undefined }: ReportVenuesOptions,
  ended: AbortSignal,
): Promise<void> {
  let isRestored = false
  const step = async () => {
    if (!isRestored) {
      const stored = await store.venueCoverage()
      if (stored !== null) venues.restore(stored)
      isRestored = true
    }
    const coverage = venues.counts()
    if (coverage.receipts > 0) {
      await store.setVenueCoverage(coverage)
      onVenues(coverage)
    }
    return MINUTE
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'could not tell which venues are not read')
  await repeatStep({ ended, clock }, step, onFailure)
}

const UNREAD_MS = SECOND / 2

export interface ReportUnreadOptions {
  pools: Pick<FollowedPools, 'unread'>
  store: Pick<IndexerStore, 'changeUnreadPools'>
  log: IndexerLog
  /** Is called with the number of pools with trades of the last day whose state is still to be read. */
  onUnread?: ((pools: number) => void) | undefined
  clock?: LoopClock
}

/** The unread pools, each with its place. */
type Places = ReadonlyMap<PoolAddress, number | null>
/** What the database says of pools; unknown where the write of a change failed, which may have arrived all the same. */
type Reported = ReadonlyMap<PoolAddress, number | null | 'unknown'>

/** Keeps in the database which pools are still to be read: whether a network is ready and a quote whole follows from it. */
export async function reportUnread(
  { pools, store, log, onUnread, clock }: ReportUnreadOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // What another process has told before counts no longer.
  let reported: Reported | null = null
  const step = async () => {
    const unread = pools.unread()
    // What was told before stands until the follower knows.
    if (unread === null) return UNREAD_MS
    // Only places of the most traded tell anything, and all others move with each trade.
    const places: Places = new Map(unread.map(({ pool, place }) => [pool, place && Math.min(place, TOP_POOLS + 1)]))
    onUnread?.([...places.values()].filter((place) => place !== null).length)
    // There may be thousands, of which few change: a pool that becomes known is to be told at once.
    const changes = changesOf(reported, places)
    if (changes !== null) {
      reported = reported && withUnknown(reported, changes)
      await store.changeUnreadPools(epoch, changes)
    }
    reported = places
    return UNREAD_MS
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'pools to read could not be told, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** Null: none. */
function changesOf(reported: Reported | null, now: Places): UnreadChanges | null {
  const unread = [...now].flatMap(([pool, place]) => (reported?.get(pool) === place ? [] : [{ pool, place }]))
  const read = reported === null ? null : [...reported.keys()].filter((pool) => !now.has(pool))
  return read === null || unread.length + read.length > 0 ? { unread, read } : null
}

function withUnknown(reported: Reported, { unread, read }: UnreadChanges): Reported {
  const changed = [...unread.map(({ pool }) => pool), ...(read ?? [])]
  return new Map([...reported, ...changed.map((pool) => [pool, 'unknown'] as const)])
}

/** How often it is looked whether blocks are proven. */
const PROOF_MS = 5 * SECOND

export interface ReportUnprovenOptions {
  chain: Pick<Chain, 'headerAlert' | 'readsUnproven'>
  store: Pick<IndexerStore, 'tellUnproven' | 'noteUnknownHeaders'>
  log: IndexerLog
  clock?: LoopClock
  /** Receives the first block whose header has unknown fields and lacks its hash without them; null: none. */
  onUnknownHeaders?: (from: number | null) => void
}

/**
 * Says whether this process reads blocks that nothing proves, and whether that is for their headers' unknown fields: the
 * follower near the head, a worker of history.
 */
export async function reportUnproven(
  { chain, store, log, clock, onUnknownHeaders = () => undefined }: ReportUnprovenOptions,
  ended: AbortSignal,
): Promise<void> {
  const step = async () => {
    const headers = chain.headerAlert()
    onUnknownHeaders(headers?.from ?? null)
    await store.tellUnproven(chain.readsUnproven() === true)
    await store.noteUnknownHeaders(headers)
    return PROOF_MS
  }
  const onFailure = (error: unknown) => log.debug({ err: error }, 'could not tell whether blocks are proven')
  await repeatStep({ ended, clock }, step, onFailure)
}
