import type { Chain } from '@dexfeed/chain'
import { type BlockPoint, DAY_S, dayOf, SECOND, startOfDay } from '@dexfeed/dex'

/** Where a fresh database starts: an explicit block, or days back from the head. */
export interface StartSetting {
  startBlock: number | null
  backfillDays: number
}

/** A fresh database cannot begin there. */
export class StartNotKept extends Error {
  override readonly name = 'StartNotKept'

  constructor(startBlock: number, first: number) {
    super(`START_BLOCK ${startBlock} is not kept by the nodes: they begin with block ${first}`)
  }
}

/** The first block that is meant to be covered. @throws StartNotKept, or that START_BLOCK is above the head */
export async function findStartBlock(
  chain: Pick<Chain, 'header' | 'head'>,
  { startBlock, backfillDays }: StartSetting,
): Promise<BlockPoint> {
  const head = await chain.head()
  if (startBlock === null) {
    const first = await firstBlockSince(chain, head, head.timestamp - backfillDays * DAY_S)
    // The one before it shows that nothing of these days is missing, however far apart the blocks are.
    return (first.number > 0 ? await headerOf(chain, first.number - 1) : null) ?? first
  }
  if (startBlock > head.number) throw new Error(`START_BLOCK ${startBlock} is above the head ${head.number}`)
  const start = await headerOf(chain, startBlock)
  if (start !== null) return start
  const kept = await firstBlockSince(chain, head, 0)
  throw new StartNotKept(startBlock, kept.number)
}

/** The first day (since 1970, UTC) that is not older than a number of days, by the time of a head. */
export function firstKeptDay(headTime: number, retentionDays: number): number {
  return dayOf(Math.min(headTime, Date.now() / SECOND)) - retentionDays
}

/**
 * The first block whose rows are kept when rows are kept for a number of days. `isSure`: the block before it is older;
 * else the nodes do not show it now, which a node may say that only lags.
 */
export async function findFirstKept(
  chain: Pick<Chain, 'header'>,
  head: BlockPoint,
  retentionDays: number,
): Promise<{ block: BlockPoint; isSure: boolean }> {
  const block = await firstBlockSince(chain, head, startOfDay(firstKeptDay(head.timestamp, retentionDays)))
  return { block, isSure: block.number === 0 || (await headerOf(chain, block.number - 1)) !== null }
}

/** Times that the nodes may contradict themselves about which blocks they keep. */
const TRIES = 3

/**
 * The first block at or after a time that the nodes keep, by bisection (block times grow, but for a second here or
 * there, and what is kept has no holes). A block that was not there when it was passed over, and is there now, shows that
 * it was not the first.
 */
async function firstBlockSince(chain: Pick<Chain, 'header'>, head: BlockPoint, since: number): Promise<BlockPoint> {
  for (let tries = 0; tries < TRIES; tries++) {
    let low = 0
    let found = head
    const missing = new Set<number>()
    while (low < found.number) {
      const number = Math.floor((low + found.number) / 2)
      const middle = await headerOf(chain, number)
      if (middle === null) missing.add(number)
      if (middle !== null && middle.timestamp >= since) found = middle
      else low = number + 1
    }
    const before = found.number - 1
    if (!missing.has(before) || (await headerOf(chain, before)) === null) return found
  }
  throw new Error('the nodes contradict themselves about which blocks they keep')
}

/** One endpoint alone says of no block that it is not kept, where another has it. */
function headerOf(chain: Pick<Chain, 'header'>, number: number): Promise<BlockPoint | null> {
  return chain.header(number, { anyEndpoint: true })
}
