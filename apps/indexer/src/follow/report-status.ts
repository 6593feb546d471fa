import type { HeaderAlert } from '@dexfeed/chain'
import { MINUTE, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { IndexerStore, UnreadChanges, VenueCoverage } from '@dexfeed/store'
import type { VenueCounts } from '../blocks/venue-counts.ts'
import { type IndexerLog, type LoopClock, repeatStep } from '../loops/loop.ts'
import type { FollowedPools } from './pool-states/followed-pools.ts'
import { TOP_POOLS } from './pool-states/read-order.ts'

/** Budgets that are learnt change over time. */
const BUDGET_MS = 30 * SECOND

export interface ReportBudgetOptions {
  chain: { budgetShortfall(): string | null }
  store: Pick<IndexerStore, 'setBudgetShortfall'>
  log: IndexerLog
  clock?: LoopClock
}

/** Logs and stores whether the endpoints' budgets are too small to follow the head. */
export async function reportBudget(
  { chain, store, log, clock }: ReportBudgetOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  let reported: string | null | undefined
  const step = async () => {
    const shortfall = chain.budgetShortfall()
    if (shortfall === reported) return BUDGET_MS
    // A value from an earlier process is stale, and a failed write leaves an unknown value.
    reported = undefined
    await store.setBudgetShortfall(shortfall, epoch)
    if (shortfall !== null)
      log.warn({ shortfall }, 'the RPC budget is too small to follow the head: add an endpoint or raise its limit')
    reported = shortfall
    return BUDGET_MS
  }
  await repeatStep({ ended, clock }, step, (error) =>
    log.debug({ err: error }, 'could not store whether the RPC budget suffices, trying again'),
  )
}

export interface ReportVenuesOptions {
  venues: Pick<VenueCounts, 'restore' | 'counts'>
  store: Pick<IndexerStore, 'venueCoverage' | 'setVenueCoverage'>
  log: IndexerLog
  clock?: LoopClock
  onVenues?: (coverage: VenueCoverage) => void
}

/** Continues the stored counts of unread venues and stores the new counts every minute. */
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
  const onFailure = (error: unknown) =>
    log.debug({ err: error }, 'could not store which venues are not read, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

const UNREAD_MS = SECOND / 2

export interface ReportUnreadOptions {
  pools: Pick<FollowedPools, 'unread' | 'isSettled'>
  store: Pick<IndexerStore, 'changeUnreadPools'>
  /** Makes the pools known that history has found, and returns them. */
  learnFound(): Promise<readonly PoolAddress[]>
  log: IndexerLog
  /** Receives the number of pools that traded within a day and whose state is not read yet. */
  onUnread?: ((pools: number) => void) | undefined
  clock?: LoopClock
}

type Places = ReadonlyMap<PoolAddress, number | null>
/** The place that the database holds for each pool. Unknown after a failed write, which may have arrived. */
type Reported = ReadonlyMap<PoolAddress, number | null | 'unknown'>

/** Stores the list of unread pools, which decides whether a network is ready and whether a quote is complete. */
export async function reportUnread(
  { pools, store, learnFound, log, onUnread, clock }: ReportUnreadOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // Values from an earlier process are stale.
  let reported: Reported | null = null
  const step = async () => {
    const found = await learnFound()
    const unread = pools.unread()
    // Until the follower has resumed, the stored values stay.
    if (unread === null) return UNREAD_MS
    // Only the places of the most traded pools matter. All other places move with each trade.
    const places: Places = new Map(unread.map(({ pool, place }) => [pool, place && Math.min(place, TOP_POOLS + 1)]))
    onUnread?.([...places.values()].filter((place) => place !== null).length)
    // There may be thousands of pools, and few change. A pool that becomes known is reported immediately.
    const settled = found.filter((pool) => pools.isSettled(pool))
    const changes = changesOf(reported, places, settled)
    if (changes !== null) {
      reported = reported && withUnknown(reported, changes)
      await store.changeUnreadPools(epoch, changes)
    }
    reported = places
    return UNREAD_MS
  }
  const onFailure = (error: unknown) =>
    log.debug({ err: error }, 'could not store which pools are still unread, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

/**
 * Returns the difference to what was reported; null without a difference.
 *
 * @param settled found pools whose states are known
 */
function changesOf(reported: Reported | null, now: Places, settled: readonly PoolAddress[]): UnreadChanges | null {
  const unread = [...now].flatMap(([pool, place]) => (reported?.get(pool) === place ? [] : [{ pool, place }]))
  const read = reported === null ? null : [...[...reported.keys()].filter((pool) => !now.has(pool)), ...settled]
  return read === null || unread.length + read.length > 0 ? { unread, read } : null
}

function withUnknown(reported: Reported, { unread, read }: UnreadChanges): Reported {
  const changed = [...unread.map(({ pool }) => pool), ...(read ?? [])]
  return new Map([...reported, ...changed.map((pool) => [pool, 'unknown'] as const)])
}

const PROOF_MS = 5 * SECOND

export interface ReportUnprovenOptions {
  chain: { headerAlert(): HeaderAlert | null; readsUnproven(): boolean | null }
  store: Pick<IndexerStore, 'reportUnproven' | 'noteUnknownHeaders'>
  log: IndexerLog
  clock?: LoopClock
  /** Receives the first block whose unknown header fields prevent a check of its hash; null: no such block. */
  onUnknownHeaders?: (from: number | null) => void
}

/**
 * Stores whether the head (follower) or history (worker) is read without proof, and if unknown headers are the reason.
 */
export async function reportUnproven(
  { chain, store, log, clock, onUnknownHeaders = () => undefined }: ReportUnprovenOptions,
  ended: AbortSignal,
): Promise<void> {
  const step = async () => {
    const headers = chain.headerAlert()
    onUnknownHeaders(headers?.from ?? null)
    await store.reportUnproven(chain.readsUnproven() === true)
    await store.noteUnknownHeaders(headers)
    return PROOF_MS
  }
  const onFailure = (error: unknown) =>
    log.debug({ err: error }, 'could not store whether blocks are proven, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}
