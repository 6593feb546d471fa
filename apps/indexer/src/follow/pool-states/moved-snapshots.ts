import { isPossibleState, type PoolAddress, type TickLiquidityAt } from '@dexfeed/dex'
import type { SnapshotAt } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import type { PoolSnapshots } from '../../pools/pool-snapshot.ts'
import type { PoolStateTracker } from './pool-state-tracker.ts'

/** Snapshots as of a later block than the one they were read at. */
export interface MovedSnapshots {
  states: SnapshotAt[]
  ticks: TickLiquidityAt[]
}

/**
 * What snapshots of pools are at a later block: moved by every event of these pools since the block they were read at.
 * A pool that would hold less than nothing then, at a tick or in range, was not read right, and is left out.
 *
 * @param since ascending; events of other pools do not matter
 * @param tracker without any state; it takes those of the snapshots
 */
export function movedOn(
  { states, ticks }: PoolSnapshots,
  since: readonly BlockEvents[],
  blockNumber: number,
  tracker: PoolStateTracker,
): MovedSnapshots {
  tracker.apply(states)
  const readAt = new Map(states.map((at) => [at.pool, at.blockNumber]))
  const newest = new Map(states.map(({ pool, state }) => [pool, state]))
  const own = since.map(({ events, ...block }) => ({ ...block, events: events.filter(({ pool }) => newest.has(pool)) }))
  const { poolStates, tickDeltas } = tracker.changes(own)
  for (const { pool, state } of poolStates) newest.set(pool, state)
  const totals = new Map<string, TickLiquidityAt>()
  for (const change of [...ticks, ...tickDeltas]) {
    const key = `${change.pool}:${change.tick}`
    const { gross = 0n, net = 0n } = totals.get(key) ?? {}
    totals.set(key, { ...change, blockNumber, gross: gross + change.gross, net: net + change.net })
  }
  const impossible = new Set<PoolAddress>()
  for (const { pool, gross } of totals.values()) if (gross < 0n) impossible.add(pool)
  for (const [pool, state] of newest) if (!isPossibleState(state)) impossible.add(pool)
  return {
    states: [...newest].flatMap(([pool, state]) =>
      impossible.has(pool) ? [] : [{ pool, blockNumber, state, readAt: readAt.get(pool) ?? blockNumber }],
    ),
    ticks: [...totals.values()].filter(({ pool, gross }) => gross > 0n && !impossible.has(pool)),
  }
}
