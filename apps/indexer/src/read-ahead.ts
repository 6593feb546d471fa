import type { Chain } from '@dexfeed/chain'
import type { Block } from '@dexfeed/dex'
import type { BlockRange } from './missing-ranges.ts'

/** What one answer of the node brought of a range. */
export interface RangePart extends BlockRange {
  blocks: Block[]
}

/**
 * A range of final blocks, ascending, part by part as the node gives it. While a part is being used the next one is
 * fetched, so no more than two are in memory; the node's answers, and so parts, are bounded in bytes.
 */
export async function* readAhead(chain: Pick<Chain, 'readRange'>, range: BlockRange): AsyncGenerator<RangePart, void> {
  const readFrom = (from: number): Promise<RangePart> | null => {
    if (from > range.to) return null
    const reading = chain.readRange(from, range.to)
    // Its failure is told when the part is asked for, which may be never.
    reading.catch(() => undefined)
    return reading
  }
  for (let reading = readFrom(range.from); reading !== null; ) {
    const part = await reading
    reading = readFrom(part.to + 1)
    yield part
  }
}
