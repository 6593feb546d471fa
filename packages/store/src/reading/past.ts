import { type Address, DAY_S, dateOfDay, dayOf, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Reads } from '../database/transaction.ts'
import { LakeUnavailable } from '../store-error.ts'
import { readTogether } from '../stored.ts'
import { KEPT_DAYS, type KeptDaysRow, keptSinceTime, toKeptSinceTime } from '../tables/kept-days.ts'
import { versionsBeforeKept } from '../tables/lake-day.ts'
import type { CandleRow, Span } from '../tables/rollups/merge-candles.ts'
import type { SideCandle, SidePriceRow } from '../tables/rollups/pool-candle.ts'
import type { FlowRow } from '../tables/rollups/token-flow.ts'
import type { TradedRow, VolumeRow } from '../tables/rollups/token-volume.ts'
import type { LakeSwapRow, LakeSwapSearch } from '../tables/swap/lake-swap.ts'
import type { TradesOf } from '../tables/swap/trader-count.ts'

// Days that the database no longer keeps are read from the lake: apps/lake answers LakeRequests. Kept days are never read
// from there.

/** Prices of a token in some pools, each within its own span; `n` in rows is the place in this list. */
interface SidesOf {
  token: Address
  sides: readonly (Span & { pool: string })[]
}

/** What can be read, by its kind: what a request says beside its span, and the rows of the answer. */
export interface LakeKinds {
  /** Of a token, over all its pools. */
  intervals: { of: { token: Address; seconds: number }; row: TradedRow }
  flows: { of: { token: Address }; row: Omit<FlowRow, 'token'> }
  sides: { of: SidesOf & { seconds: number }; row: SideCandle }
  lastPrices: { of: SidesOf; row: SidePriceRow }
  /** Of a token in a pool, against another token, or both. Prices are in USD, or in the other token. */
  candles: {
    of: { token: Address; pool: PoolAddress | null; other: Address | null; inOther: boolean; seconds: number }
    row: CandleRow
  }
  /** Of hops. */
  volumes: { of: { of: { token: Address } | { pool: PoolAddress }; seconds: number }; row: VolumeRow }
  traders: { of: { of: TradesOf; seconds: number }; row: { time: number; traders: number } }
  /** Of one day. */
  swaps: { of: LakeSwapSearch; row: LakeSwapRow }
}

export type LakeKind = keyof LakeKinds
export type LakeRow<Kind extends LakeKind> = LakeKinds[Kind]['row']

export type LakeRequest<Kind extends LakeKind = LakeKind> = {
  [Each in Kind]: LakeSpan & { kind: Each; of: LakeKinds[Each]['of'] }
}[Kind]

/** The span is within days whose files must have these versions. */
export interface LakeSpan extends Span {
  network: NetworkName
  /** Since 1970 (UTC). */
  firstDay: number
  versions: readonly number[]
}

export interface LakeReads {
  /** @throws LakeUnavailable, LakeTooMuch */
  rows<Kind extends LakeKind>(request: LakeRequest<Kind>, signal?: AbortSignal): Promise<LakeRow<Kind>[]>
}

/** The days of a network before the kept ones, back to the first that the lake does not have as it is. */
export interface Past {
  /** Seconds since 1970: when the first day in the lake begins, and when the first kept day does. */
  since: number
  keptSince: number
  /** Returns the rows of the part of the span that is in these days. @throws LakeUnavailable, LakeTooMuch */
  rows<Kind extends LakeKind>(kind: Kind, span: Span, of: LakeKinds[Kind]['of']): Promise<LakeRow<Kind>[]>
  /** Returns the first and last day that were read so far, such as `2026-10-20/2026-11-12`; null if none was. */
  daysRead(): string | null
  /** Call it after reading kept days, which may have been dropped meanwhile. @throws LakeUnavailable */
  assertKept(): Promise<void>
}

/** Returns null if the database keeps all days, or if the lake lacks the day before the kept ones. */
export async function readPast(
  db: Reads,
  lake: LakeReads,
  network: NetworkName,
  signal?: AbortSignal,
): Promise<Past | null> {
  const found = await readTogether<{ kept: KeptDaysRow; days: { version: number } }>(db, {
    kept: KEPT_DAYS,
    days: versionsBeforeKept(NETWORKS[network].chainId),
  })
  const keptSince = toKeptSinceTime(found.kept)
  if (keptSince === null || found.days.length === 0) return null
  const versions = found.days.map(({ version }) => version)
  const since = keptSince - versions.length * DAY_S
  const read = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  return {
    since,
    keptSince,
    async rows(kind, span, of) {
      const from = Math.max(span.from, since)
      const to = Math.min(span.to, keptSince)
      if (from >= to) return []
      const first = dayOf(from)
      read.first = Math.min(read.first, first)
      read.last = Math.max(read.last, dayOf(to - 1))
      const within = versions.slice(first - dayOf(since), dayOf(to - 1) + 1 - dayOf(since))
      return lake.rows(
        { kind, network, from, to, firstDay: first, versions: within, of } as LakeRequest<typeof kind>,
        signal,
      )
    },
    daysRead: () => (read.first > read.last ? null : `${dateOfDay(read.first)}/${dateOfDay(read.last)}`),
    async assertKept() {
      if ((await keptSinceTime(db)) !== keptSince)
        throw new LakeUnavailable('the kept days changed while they were read')
    },
  }
}
