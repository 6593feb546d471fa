import type { Chain } from '@dexfeed/chain'
import { type BlockPoint, DAY_S, dayOf, SECOND, startOfDay } from '@dexfeed/dex'

/** Where a fresh database starts: an explicit block, or days back from the head. */
export interface StartSetting {
  startBlock: number | null
  backfillDays: number
}

/** The first block that is meant to be covered. */
export async function findStartBlock(
  chain: Pick<Chain, 'header' | 'head'>,
  { startBlock, backfillDays }: StartSetting,
): Promise<BlockPoint> {
  const head = await chain.head()
  if (startBlock === null) {
    const first = await firstBlockSince(chain, head, head.timestamp - backfillDays * DAY_S)
    // The one before it shows that nothing of these days is missing, however far apart the blocks are.
    return (first.number > 0 ? await chain.header(first.number - 1) : null) ?? first
  }
  if (startBlock > head.number) throw new Error(`START_BLOCK ${startBlock} is above the head ${head.number}`)
  const start = await chain.header(startBlock)
  if (start !== null) return start
  const kept = await firstBlockSince(chain, head, 0)
  throw new Error(`START_BLOCK ${startBlock} is not kept by the nodes: they begin with block ${kept.number}`)
}

/** The first day (since 1970, UTC) that is not older than a number of days, by the time of a head. */
export function firstKeptDay(headTime: number, retentionDays: number): number {
  return dayOf(Math.min(headTime, Date.now() / SECOND)) - retentionDays
}

/** The first block whose rows are kept when rows are kept for a number of days. */
export async function findFirstKept(
  chain: Pick<Chain, 'header'>,
  head: BlockPoint,
  retentionDays: number,
): Promise<BlockPoint> {
  return firstBlockSince(chain, head, startOfDay(firstKeptDay(head.timestamp, retentionDays)))
}

/**
 * The first block at or after a time that the nodes keep, by bisection (block times grow, but for a second here or
 * there, and what is kept has no holes).
 */
async function firstBlockSince(chain: Pick<Chain, 'header'>, head: BlockPoint, since: number): Promise<BlockPoint> {
  let low = 0
  let found = head
  while (low < found.number) {
    const number = Math.floor((low + found.number) / 2)
    const middle = await chain.header(number)
    if (middle !== null && middle.timestamp >= since) found = middle
    else low = number + 1
  }
  return found
}
