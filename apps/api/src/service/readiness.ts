import { checksumAddress, type NetworkStatus } from '@dexfeed/contract'
import { DAY_S, isoTime, MINUTE, NETWORKS, SECOND } from '@dexfeed/dex'
import {
  type AwaitedKeys,
  asIfCovered,
  type Coverage,
  coverageGaps,
  coverageProgress,
  coversStart,
  headSpan,
  type NetworkActivity,
  type NetworkProgress,
  type VenueCoverage,
} from '@dexfeed/store'
import { isFresh } from './freshness.ts'

const WINDOW_S = 7 * DAY_S

/**
 * Blocks that have waited this long for pool keys no longer delay readiness, because the nodes may not have these logs
 * at all.
 */
const KEYS_PATIENCE_S = (10 * MINUTE) / SECOND

export interface Readiness {
  maxAgeS: number
  /** This many of the most traded pools must be read, except unreadable ones. */
  readyPools: number
}

/** Returns why the network is not ready at `now` (seconds); null if it is. */
export function notReadyReason(
  network: NetworkProgress,
  awaited: readonly AwaitedKeys[],
  now: number,
  { maxAgeS, readyPools }: Readiness,
): string | null {
  if (network.head === null) return 'nothing is indexed yet'
  if (!isFresh(network, now, maxAgeS)) return `the last indexed block is ${now - network.head.timestamp} seconds old`
  const overdue = awaitingKeys(network, awaited).blocks.filter(({ since }) => now - since >= KEYS_PATIENCE_S)
  const taken = asIfCovered(
    network,
    overdue.map(({ number }) => number),
  )
  if (!coversStart(taken, now - WINDOW_S)) return 'a part of the last days is not indexed yet'
  const { firstPlace } = network.unread
  if (firstPlace !== null && firstPlace <= readyPools) return 'the most traded pools are not all read yet'
  return null
}

/**
 * Returns whether the list of swaps, whose state is `listed`, has all stored rows of a network since `since` (seconds).
 */
export function isListed(network: Coverage, listed: Coverage | undefined, since: number): boolean {
  const stored = headSpan(network)
  const shown = listed === undefined ? null : headSpan(listed)
  return stored === null || (shown !== null && (shown.from <= stored.from || shown.fromTime < since))
}

export interface StatusFacts {
  awaited: readonly AwaitedKeys[]
  venues: ReadonlyMap<number, VenueCoverage>
  activities: ReadonlyMap<number, NetworkActivity>
}

export function networkStatus(
  network: NetworkProgress,
  { awaited, venues, activities }: StatusFacts,
  now: number,
  readiness: Readiness,
): NetworkStatus {
  const { head, chainHead, start, covered } = network
  return {
    network: network.network,
    ready: notReadyReason(network, awaited, now, readiness) === null,
    chain_head: chainHead?.number ?? null,
    indexed_block: head?.number ?? null,
    indexed_block_time: head === null ? null : isoTime(head.timestamp),
    final_block: network.finalNumber,
    lag_blocks: head === null || chainHead === null ? null : Math.max(0, chainHead.number - head.number),
    lag_seconds: head === null ? null : Math.max(0, Math.floor(now - head.timestamp)),
    start_block: start?.number ?? null,
    covered: covered.map(({ from, to }) => ({ from, to })),
    gaps: coverageGaps(network),
    backfill: backfillStatus(network),
    old_rows: oldRowsStatus(network),
    degraded: network.degraded === null ? null : withoutAddresses(network.degraded),
    unproven: network.unprovenSince === null ? null : isoTime(network.unprovenSince),
    unknown_headers: unknownHeadersStatus(network.unknownHeaders),
    pools_without_state: network.unread.pools,
    awaiting_keys: awaitingStatus(network, awaited),
    unread_venues: venuesStatus(venues.get(NETWORKS[network.network].chainId)),
    budget_shortfall: network.budgetShortfall === null ? null : withoutAddresses(network.budgetShortfall),
    ...activityStatus(activities.get(NETWORKS[network.network].chainId)),
  }
}

function activityStatus(activity: NetworkActivity | undefined) {
  const { endpoints = [], queue = null } = activity ?? {}
  return { endpoints: endpoints.map(({ budgetPerS, ...use }) => ({ ...use, budget_per_s: budgetPerS })), queue }
}

function unknownHeadersStatus(headers: NetworkProgress['unknownHeaders']): NetworkStatus['unknown_headers'] {
  if (headers === null) return null
  const { from, fields, since } = headers
  return { from_block: from, fields: [...fields], since: isoTime(since) }
}

function awaitingKeys({ network, start }: NetworkProgress, awaited: readonly AwaitedKeys[]) {
  const { pools = 0, blocks = [] } = awaited.find(({ chainId }) => chainId === NETWORKS[network].chainId) ?? {}
  return { pools, blocks: blocks.filter(({ number }) => start === null || number >= start.number) }
}

function awaitingStatus(network: NetworkProgress, awaited: readonly AwaitedKeys[]): NetworkStatus['awaiting_keys'] {
  const { pools, blocks } = awaitingKeys(network, awaited)
  if (blocks.length === 0) return null
  const since = blocks.reduce((first, block) => Math.min(first, block.since), Number.POSITIVE_INFINITY)
  return { blocks: blocks.length, pools, since: isoTime(since) }
}

function venuesStatus(coverage: VenueCoverage | undefined): NetworkStatus['unread_venues'] {
  if (coverage === undefined || coverage.receipts === 0) return null
  const { receipts, unread, venues } = coverage
  return {
    receipts,
    unread_share: Math.round((unread / receipts) * 10_000) / 10_000,
    venues: venues.map((venue) => ({ ...venue, emitter: checksumAddress(venue.emitter) })),
  }
}

function backfillStatus(network: NetworkProgress): NetworkStatus['backfill'] {
  const { done, total } = coverageProgress(network)
  const missing = total - done
  const rate = missing > 0 ? network.backfillBlocksPerS : null
  const eta = rate === null || rate === 0 ? null : Math.ceil(missing / rate)
  return {
    done_blocks: done,
    total_blocks: total,
    blocks_per_s: rate === null ? null : Math.round(rate * 10) / 10,
    eta_seconds: missing === 0 ? 0 : eta,
  }
}

function oldRowsStatus(network: NetworkProgress): NetworkStatus['old_rows'] {
  const { oldBlocks, backfillBlocksPerS: rate } = network
  if (oldBlocks === 0) return null
  const { done, total } = coverageProgress(network)
  const left = total - done + oldBlocks
  return { blocks: oldBlocks, eta_seconds: rate === null || rate === 0 ? null : Math.ceil(left / rate) }
}

/** Removes the addresses of RPC endpoints: URLs, and hosts in messages of the system and of TLS. */
function withoutAddresses(text: string): string {
  return text
    .replace(/\b\w+:\/\/[^\s,;)]+/g, '***')
    .replace(/\b(E[A-Z]{4,}|EAI_[A-Z]+) [^\s,;)]+/g, '$1 ***')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '***')
    .replace(/\baltnames: .*/g, 'altnames: ***')
}
