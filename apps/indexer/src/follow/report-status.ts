import type { HeaderAlert } from '@dexfeed/chain'
import { MINUTE, type PoolAddress, SECOND } from '@dexfeed/dex'
import type { UnreadChanges, UnreadPool, VenueCoverage } from '@dexfeed/store'
import { type LoopContext, repeatLogged } from '../loops/loop.ts'
import { TOP_POOLS } from './pool-states/read-order.ts'

export interface HeadReports {
  onUnread(pools: number): void
  onVenues(coverage: VenueCoverage): void
}

/** Checked repeatedly, because learnt budgets change. */
const BUDGET_MS = 30 * SECOND

export interface ReportBudgetOptions extends LoopContext {
  chain: { budgetShortfall(): string | null }
  store: { setBudgetShortfall(shortfall: string | null, epoch: number): Promise<unknown> }
}

export async function reportBudget(
  { chain, store, log, clock }: ReportBudgetOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  let reported: string | null | undefined
  const step = async () => {
    const shortfall = chain.budgetShortfall()
    if (shortfall === reported) return BUDGET_MS
    // Unknown until the write responds.
    reported = undefined
    await store.setBudgetShortfall(shortfall, epoch)
    if (shortfall !== null)
      log.warn({ shortfall }, 'the RPC budget is too small to follow the head: add an endpoint or raise its limit')
    reported = shortfall
    return BUDGET_MS
  }
  await repeatLogged(
    { ended, log, clock, level: 'debug' },
    'could not store whether the RPC budget suffices, trying again',
    step,
  )
}

export interface ReportVenuesOptions extends Partial<HeadReports>, LoopContext {
  venues: { restore(coverage: VenueCoverage): void; counts(): VenueCoverage }
  store: { venueCoverage(): Promise<VenueCoverage | null>; setVenueCoverage(coverage: VenueCoverage): Promise<unknown> }
}

/** Stores the counts of unread venues. A restart continues from the stored counts. */
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
  await repeatLogged(
    { ended, log, clock, level: 'debug' },
    'could not store which venues are not read, trying again',
    step,
  )
}

const UNREAD_MS = SECOND / 2

export interface ReportUnreadOptions extends Partial<HeadReports>, LoopContext {
  pools: { unread(): UnreadPool[] | null; isSettled(pool: PoolAddress): boolean }
  store: { changeUnreadPools(epoch: number, changes: UnreadChanges): Promise<unknown> }
  learnFound(): Promise<readonly PoolAddress[]>
}

type Places = ReadonlyMap<PoolAddress, number | null>
/** A place is unknown after a failed write, which may have arrived. */
type Reported = ReadonlyMap<PoolAddress, number | null | 'unknown'>

export async function reportUnread(
  { pools, store, learnFound, log, onUnread, clock }: ReportUnreadOptions,
  epoch: number,
  ended: AbortSignal,
): Promise<void> {
  // Values of an earlier process are stale.
  let reported: Reported | null = null
  const step = async () => {
    const found = await learnFound()
    const unread = pools.unread()
    // Keep the stored values until the follower has resumed.
    if (unread === null) return UNREAD_MS
    // Lower places change with each trade, so they are stored as one place.
    const places: Places = new Map(unread.map(({ pool, place }) => [pool, place && Math.min(place, TOP_POOLS + 1)]))
    onUnread?.([...places.values()].filter((place) => place !== null).length)
    // Store only changes, because few of thousands of pools change.
    const settled = found.filter((pool) => pools.isSettled(pool))
    const changes = changesOf(reported, places, settled)
    if (changes !== null) {
      reported = reported && withUnknown(reported, changes)
      await store.changeUnreadPools(epoch, changes)
    }
    reported = places
    return UNREAD_MS
  }
  await repeatLogged(
    { ended, log, clock, level: 'debug' },
    'could not store which pools are still unread, trying again',
    step,
  )
}

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

export interface ReportUnprovenOptions extends LoopContext {
  chain: { headerAlert(): HeaderAlert | null; readsUnproven(): boolean | null }
  store: {
    reportUnproven(isUnproven: boolean): Promise<unknown>
    noteUnknownHeaders(alert: HeaderAlert | null): Promise<unknown>
  }
  /** Receives the first block whose hash cannot be checked, because of unknown header fields. */
  onUnknownHeaders?: (from: number | null) => void
}

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
  await repeatLogged(
    { ended, log, clock, level: 'debug' },
    'could not store whether blocks are proven, trying again',
    step,
  )
}
