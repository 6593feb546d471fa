import type { Chain } from '@dexfeed/chain'
import type { BlockHeader } from '@dexfeed/dex'

const DAY_S = 24 * 60 * 60

/** Where a fresh database starts: an explicit block, or days back from the head. */
export interface StartSetting {
  startBlock: number | null
  backfillDays: number
}

/** The first block that is meant to be covered. */
export async function findStartBlock(
  chain: Pick<Chain, 'header' | 'head'>,
  { startBlock, backfillDays }: StartSetting,
): Promise<Pick<BlockHeader, 'number' | 'timestamp'>> {
  const head = await chain.head()
  if (startBlock === null) return firstBlockSince(chain, head, head.timestamp - backfillDays * DAY_S)
  if (startBlock > head.number) throw new Error(`START_BLOCK ${startBlock} is above the head ${head.number}`)
  return headerAt(chain, startBlock)
}

/** The first day (since 1970, UTC) of which something is younger than so many days, by the time of a head. */
export function firstKeptDay(headTime: number, retentionDays: number): number {
  return Math.floor(Math.min(headTime, Date.now() / 1000) / DAY_S) - retentionDays
}

/** The first block whose rows are kept when the rows of so many days are. */
export async function findFirstKept(
  chain: Pick<Chain, 'header'>,
  head: Pick<BlockHeader, 'number' | 'timestamp'>,
  retentionDays: number,
): Promise<Pick<BlockHeader, 'number' | 'timestamp'>> {
  return firstBlockSince(chain, head, firstKeptDay(head.timestamp, retentionDays) * DAY_S)
}

/** The first block at or after a time, by bisection (block times grow, but for a second here or there). */
async function firstBlockSince(
  chain: Pick<Chain, 'header'>,
  head: Pick<BlockHeader, 'number' | 'timestamp'>,
  since: number,
): Promise<Pick<BlockHeader, 'number' | 'timestamp'>> {
  let low = 0
  let found: Pick<BlockHeader, 'number' | 'timestamp'> = head
  while (low < found.number) {
    const middle = await headerAt(chain, Math.floor((low + found.number) / 2))
    if (middle.timestamp >= since) found = middle
    else low = middle.number + 1
  }
  return found
}

async function headerAt(chain: Pick<Chain, 'header'>, number: number): Promise<BlockHeader> {
  const header = await chain.header(number)
  if (header === null) throw new Error(`block ${number} is not there, though later ones are`)
  return header
}
