import { Counts, dayOf, NETWORK_NAMES, type NetworkName, startOfDay } from '@dexfeed/dex'
import type { FoundSwap } from '../tables/swap/swap-page.ts'
import { AFTER_ALL, BEFORE_ALL, type SwapBoundary } from '../tables/swap/swap-search.ts'

export type SwapBoundaries = Readonly<Partial<Record<NetworkName, SwapBoundary>>>

/** How far a network was searched. Trades beyond `at` are at `time` or further in the direction of the search. */
export interface Frontier {
  at: SwapBoundary
  time: number
}

export interface NetworkFound<Row extends FoundSwap> {
  network: NetworkName
  start: SwapBoundary
  rows: readonly Row[]
  frontier: Frontier | null
}

export function boundaryAfter({ time, ...swap }: FoundSwap, ascending: boolean): SwapBoundary {
  const { blockNumber, transactionIndex, position } = swap
  return { day: dayOf(time), blockNumber, transactionIndex, position: ascending ? position : position - 1 }
}

export function edgeOf(day: number, ascending: boolean): Frontier {
  if (ascending) return { at: { day, ...BEFORE_ALL }, time: startOfDay(day) }
  return { at: { day, ...AFTER_ALL }, time: startOfDay(day + 1) - 1 }
}

/** Stops early if another network may have an unread trade that comes first. */
export function mergeFound<Row extends FoundSwap>(
  found: readonly NetworkFound<Row>[],
  { ascending, limit }: { ascending: boolean; limit: number },
): { rows: Row[]; reached: SwapBoundaries | null } {
  const taken = new Counts<NetworkName>()
  const rows: Row[] = []
  for (;;) {
    const next = found.flatMap(({ network, rows }) => rows[taken.of(network)] ?? [])
    const [first, ...others] = next
    if (first === undefined || rows.length === limit) break
    const row = others.reduce((a, b) => (isBefore(b, a, ascending) ? b : a), first)
    const isNext = found.every(
      ({ network, frontier }) =>
        network === row.network || frontier === null || isBefore(row, { network, time: frontier.time }, ascending),
    )
    if (!isNext) break
    rows.push(row)
    taken.add(row.network)
  }
  const isDone = found.every(({ network, rows, frontier }) => frontier === null && taken.of(network) === rows.length)
  if (isDone) return { rows, reached: null }
  const reached = found.map(
    (networkFound) => [networkFound.network, placeOf(networkFound, taken.of(networkFound.network), ascending)] as const,
  )
  return { rows, reached: Object.fromEntries(reached) }
}

function placeOf({ start, rows, frontier }: NetworkFound<FoundSwap>, taken: number, ascending: boolean): SwapBoundary {
  if (taken === rows.length && frontier !== null) return frontier.at
  const last = rows[taken - 1]
  return last === undefined ? start : boundaryAfter(last, ascending)
}

type Moment = Pick<FoundSwap, 'network' | 'time'>

function isBefore(a: Moment, b: Moment, ascending: boolean): boolean {
  const order = a.time - b.time || NETWORK_NAMES.indexOf(a.network) - NETWORK_NAMES.indexOf(b.network)
  return ascending ? order < 0 : order > 0
}
