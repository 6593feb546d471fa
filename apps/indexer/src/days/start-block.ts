import type { Chain } from '@dexfeed/chain'
import { type BlockPoint, DAY_S, dayOf, SECOND, startOfDay } from '@dexfeed/dex'
import { headerAt } from '../blocks/header-at.ts'

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
  if (startBlock === null) return firstBlockSince(chain, head, head.timestamp - backfillDays * DAY_S)
  if (startBlock > head.number) throw new Error(`START_BLOCK ${startBlock} is above the head ${head.number}`)
  return headerAt(chain, startBlock)
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

/** The first block at or after a time, by bisection (block times grow, but for a second here or there). */
async function firstBlockSince(chain: Pick<Chain, 'header'>, head: BlockPoint, since: number): Promise<BlockPoint> {
  let low = 0
  let found = head
  while (low < found.number) {
    const middle = await headerAt(chain, Math.floor((low + found.number) / 2))
    if (middle.timestamp >= since) found = middle
    else low = middle.number + 1
  }
  return found
}
