import type { BlockHeader, CoveredRange } from '@dexfeed/dex'

/**
 * What is covered of a range of blocks without some of them. The times of a span's ends are those of the outermost of
 * its blocks that are at hand, so that no span claims to reach further than it does; without any it is left as well.
 *
 * @param blocks ascending, with both ends of the range; others may be missing
 * @param left ascending numbers
 */
export function spansWithout(
  blocks: readonly Pick<BlockHeader, 'number' | 'timestamp'>[],
  left: readonly number[],
): CoveredRange[] {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) return []
  const starts = [first.number, ...left.map((number) => number + 1)]
  const ends = [...left.map((number) => number - 1), last.number]
  return starts.flatMap((from, index) => {
    const to = ends[index] ?? last.number
    const inside = blocks.filter(({ number }) => number >= from && number <= to)
    const [oldest, newest] = [inside[0], inside.at(-1)]
    if (oldest === undefined || newest === undefined) return []
    return [{ from, to, fromTime: oldest.timestamp, toTime: newest.timestamp }]
  })
}
