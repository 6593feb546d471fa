import { NETWORK_NAMES } from '@dexfeed/dex'
import { sortInSteps } from './in-steps.ts'
import type { Figures, NetworkFigures } from './network-figures.ts'

/** What lists can be ordered by; each is a whole number, null where it is not known. */
const KEYS = {
  volume: ({ volumeE8 }: Figures) => volumeE8,
  liquidity: ({ liquidityE8 }: Figures) => liquidityE8,
  price_change: ({ changeE4 }: Figures) => changeE4,
  // Who was seen first is the oldest, whatever the clock shows.
  age: ({ firstSeen }: Figures) => (firstSeen === null ? null : BigInt(-firstSeen)),
} as const

export type OrderBy = keyof typeof KEYS

/** A place in such an order: just before or after a token or pool, or where one with this key would stand. */
export interface RankedPlace {
  key: bigint | null
  network: Figures['network']
  address: string
  side: 'before' | 'after'
}

type Ranked = Pick<RankedPlace, 'key' | 'network' | 'address'>

/** What figures are ordered by; without a figure, by network and address. */
export function rankedBy(orderBy: OrderBy | null): (figures: Figures) => Ranked {
  const keyOf = orderBy === null ? () => null : KEYS[orderBy]
  return (figures) => ({ key: keyOf(figures), network: figures.network, address: figures.address })
}

/** Unknown is less than anything that is known. */
function compareRanked(a: Ranked, b: Ranked): number {
  if (a.key !== b.key) {
    if (a.key === null || b.key === null) return a.key === null ? -1 : 1
    return a.key < b.key ? -1 : 1
  }
  if (a.network !== b.network) return NETWORK_NAMES.indexOf(a.network) - NETWORK_NAMES.indexOf(b.network)
  return a.address === b.address ? 0 : a.address < b.address ? -1 : 1
}

/** These figures, ascending. */
export function ranked(figures: readonly Figures[], orderBy: OrderBy | null): Promise<Figures[]> {
  const placeOf = rankedBy(orderBy)
  return sortInSteps(figures, (a, b) => compareRanked(placeOf(a), placeOf(b)))
}

type Kind = 'tokens' | 'pools'
const known = new WeakMap<NetworkFigures, Map<string, Promise<readonly Figures[]>>>()

/** All tokens or pools of a network, ascending; put in order once, for all who ask. */
export function ranking(of: NetworkFigures, kind: Kind, orderBy: OrderBy | null): Promise<readonly Figures[]> {
  const rankings = known.get(of) ?? new Map<string, Promise<readonly Figures[]>>()
  known.set(of, rankings)
  const name = `${kind} ${orderBy}`
  let found = rankings.get(name)
  if (found === undefined) {
    const all: readonly Figures[] = [...of[kind].values()]
    found = orderBy === null ? Promise.resolve(all) : ranked(all, orderBy)
    rankings.set(name, found)
  }
  return found
}

/** All of several ascending lists in one order, beyond a place; null: from the end of the list on. */
export function* walk(
  lists: readonly (readonly Figures[])[],
  orderBy: OrderBy | null,
  { ascending, from }: { ascending: boolean; from: RankedPlace | null },
): Generator<Figures, void> {
  const placeOf = rankedBy(orderBy)
  const step = ascending ? 1 : -1
  const at = lists.map((list) => startOf(list, placeOf, from, ascending))
  for (;;) {
    let best: { figures: Figures; list: number } | null = null
    for (const [list, all] of lists.entries()) {
      const figures = all[at[list] ?? -1]
      if (figures === undefined) continue
      if (best === null || step * compareRanked(placeOf(figures), placeOf(best.figures)) < 0) best = { figures, list }
    }
    if (best === null) return
    at[best.list] = (at[best.list] ?? 0) + step
    yield best.figures
  }
}

/** The first index beyond the place in the direction of the walk. */
function startOf(
  list: readonly Figures[],
  placeOf: (figures: Figures) => Ranked,
  from: RankedPlace | null,
  ascending: boolean,
): number {
  if (from === null) return ascending ? 0 : list.length - 1
  // How many stand before the place.
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compareRanked(placeOf(list[middle] as Figures), from)
    if (order < 0 || (order === 0 && from.side === 'after')) low = middle + 1
    else high = middle
  }
  return ascending ? low : low - 1
}
