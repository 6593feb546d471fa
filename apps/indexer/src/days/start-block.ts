import { type BlockPoint, DAY_S, dayOf, SECOND, startOfDay } from '@dexfeed/dex'
import type { HeaderSource } from '../blocks/common-ancestor.ts'

export interface KeptChain extends HeaderSource {
  head(): Promise<BlockPoint>
}

export interface StartSetting {
  startBlock: number | null
  backfillDays: number
}

export class StartNotKept extends Error {
  override readonly name = 'StartNotKept'

  constructor(startBlock: number, first: number) {
    super(`START_BLOCK ${startBlock} is not kept by the nodes: they begin with block ${first}`)
  }
}

/** @throws StartNotKept, or an Error if START_BLOCK is above the head */
export async function findStartBlock(
  chain: KeptChain,
  { startBlock, backfillDays }: StartSetting,
): Promise<BlockPoint> {
  const head = await chain.head()
  if (startBlock === null) {
    const first = await firstBlockSince(chain, head, head.timestamp - backfillDays * DAY_S)
    // Start one block earlier, to prove that none of these days' blocks is missing.
    return (first.number > 0 ? await headerOf(chain, first.number - 1) : null) ?? first
  }
  if (startBlock > head.number) throw new Error(`START_BLOCK ${startBlock} is above the head ${head.number}`)
  const start = await headerOf(chain, startBlock)
  if (start !== null) return start
  const kept = await firstBlockSince(chain, head, 0)
  throw new StartNotKept(startBlock, kept.number)
}

/** Returns the first day to keep, in days since 1970 (UTC). */
export function firstKeptDay(headTime: number, retentionDays: number): number {
  return dayOf(Math.min(headTime, Date.now() / SECOND)) - retentionDays
}

/** `isSure` is false if the nodes do not return the block before it, perhaps because one of them lags. */
export async function findFirstKept(
  chain: HeaderSource,
  head: BlockPoint,
  retentionDays: number,
): Promise<{ block: BlockPoint; isSure: boolean }> {
  const block = await firstBlockSince(chain, head, startOfDay(firstKeptDay(head.timestamp, retentionDays)))
  return { block, isSure: block.number === 0 || (await headerOf(chain, block.number - 1)) !== null }
}

const TRIES = 3

/**
 * Bisects, because times ascend (within a second or so) and kept blocks have no holes. Tries again if a block that was
 * missing is there afterwards.
 */
export async function firstBlockSince(chain: HeaderSource, head: BlockPoint, since: number): Promise<BlockPoint> {
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

/** Reads from any endpoint, because some keep no old blocks. */
export function headerOf(chain: HeaderSource, number: number): Promise<BlockPoint | null> {
  return chain.header(number, { anyEndpoint: true })
}
