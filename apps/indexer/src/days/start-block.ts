import type { ReadHeader } from '@dexfeed/chain'
import { type BlockPoint, DAY_S, dayOf, SECOND, startOfDay } from '@dexfeed/dex'

/** Where a new database starts: an explicit block, or some days before the head. */
export interface StartSetting {
  startBlock: number | null
  backfillDays: number
}

/** A new database cannot start there. */
export class StartNotKept extends Error {
  override readonly name = 'StartNotKept'

  constructor(startBlock: number, first: number) {
    super(`START_BLOCK ${startBlock} is not kept by the nodes: they begin with block ${first}`)
  }
}

/** Returns the first block to cover. @throws StartNotKept, or an error if START_BLOCK is above the head */
export async function findStartBlock(
  chain: { head(): Promise<BlockPoint>; header: ReadHeader },
  { startBlock, backfillDays }: StartSetting,
): Promise<BlockPoint> {
  const head = await chain.head()
  if (startBlock === null) {
    const first = await firstBlockSince(chain, head, head.timestamp - backfillDays * DAY_S)
    // The block before it shows that no block of these days is missing, however far apart blocks are.
    return (first.number > 0 ? await headerOf(chain, first.number - 1) : null) ?? first
  }
  if (startBlock > head.number) throw new Error(`START_BLOCK ${startBlock} is above the head ${head.number}`)
  const start = await headerOf(chain, startBlock)
  if (start !== null) return start
  const kept = await firstBlockSince(chain, head, 0)
  throw new StartNotKept(startBlock, kept.number)
}

/** Returns the first day (since 1970, UTC) within the retention, by the time of a head. */
export function firstKeptDay(headTime: number, retentionDays: number): number {
  return dayOf(Math.min(headTime, Date.now() / SECOND)) - retentionDays
}

/**
 * Returns the first block whose rows are kept with this retention. `isSure`: the block before it is older. Otherwise
 * the nodes do not return that block now, perhaps only because a node lags.
 */
export async function findFirstKept(
  chain: { header: ReadHeader },
  head: BlockPoint,
  retentionDays: number,
): Promise<{ block: BlockPoint; isSure: boolean }> {
  const block = await firstBlockSince(chain, head, startOfDay(firstKeptDay(head.timestamp, retentionDays)))
  return { block, isSure: block.number === 0 || (await headerOf(chain, block.number - 1)) !== null }
}

/** Attempts before contradictory responses about kept blocks become an error. */
const TRIES = 3

/**
 * Returns the first kept block at or after a time, by bisection. Block times grow (within a second or so), and the kept
 * blocks have no holes. If a block was missing before and is there now, the found block was not the first.
 */
async function firstBlockSince(chain: { header: ReadHeader }, head: BlockPoint, since: number): Promise<BlockPoint> {
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

/** Another endpoint may have a block that one endpoint does not keep. */
function headerOf(chain: { header: ReadHeader }, number: number): Promise<BlockPoint | null> {
  return chain.header(number, { anyEndpoint: true })
}
