import type { Address, BlockRange } from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'
import { type EdgeEvent, edgeEvent } from './edge-event.ts'

/** A trade near the head, as the stream has sent it. */
export interface EdgeRow {
  swap: SwapWithHops
  event: EdgeEvent
  /** Tokens of the row that the database does not have yet. */
  unknown: readonly Address[]
}

/** Trades by block, each in order. Blocks without trades are left out. */
export type EdgeBlocks = ReadonlyMap<number, readonly EdgeRow[]>

export interface Difference {
  events: EdgeEvent[]
  /** The trades that were added or removed. */
  rows: SwapWithHops[]
}

/**
 * Returns the events that turn the trades of `before` into those of `after`, block by block. Equal trades are not sent
 * again.
 */
export function differenceOf(network: SwapWithHops['network'], before: EdgeBlocks, after: EdgeBlocks): Difference {
  const events: EdgeEvent[] = []
  const rows: SwapWithHops[] = []
  let run: { removed: BlockRange | null; added: EdgeEvent[] } = { removed: null, added: [] }
  const endRun = () => {
    const { removed, added } = run
    if (removed !== null) {
      events.push(edgeEvent('removed', { network, from_block: String(removed.from), to_block: String(removed.to) }))
    }
    for (const event of added) events.push(event)
    run = { removed: null, added: [] }
  }
  for (const number of [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b)) {
    const [old = [], now = []] = [before.get(number), after.get(number)]
    if (areEqual(old, now)) {
      // A removal covers a range of blocks, so the range must not contain a trade that stays.
      endRun()
      continue
    }
    if (old.length > 0) run.removed = { from: run.removed?.from ?? number, to: number }
    for (const { event } of now) run.added.push(event)
    for (const { swap } of [...old, ...now]) rows.push(swap)
  }
  endRun()
  return { events, rows }
}

function areEqual(a: readonly EdgeRow[], b: readonly EdgeRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.event.json === b[at]?.event.json)
}
