import type { Address, BlockRange } from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'
import { type EdgeEvent, edgeEvent } from './edge-event.ts'

/** A trade near the head, as the stream has told it. */
export interface EdgeRow {
  swap: SwapWithHops
  event: EdgeEvent
  /** Tokens that the row names and nobody knows yet. */
  unknown: readonly Address[]
}

/** Trades by block, each in order. Blocks without any are left out. */
export type EdgeBlocks = ReadonlyMap<number, readonly EdgeRow[]>

export interface Difference {
  events: EdgeEvent[]
  /** The trades that came, and those that went. */
  rows: SwapWithHops[]
}

/** What makes the trades of `before` those of `after`, block by block: what is equal is not told again. */
export function differenceOf(network: SwapWithHops['network'], before: EdgeBlocks, after: EdgeBlocks): Difference {
  const events: EdgeEvent[] = []
  const rows: SwapWithHops[] = []
  let run: { gone: BlockRange | null; come: EdgeEvent[] } = { gone: null, come: [] }
  const endRun = () => {
    const { gone, come } = run
    if (gone !== null) {
      events.push(edgeEvent('removed', { network, from_block: String(gone.from), to_block: String(gone.to) }))
    }
    for (const event of come) events.push(event)
    run = { gone: null, come: [] }
  }
  for (const number of [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b)) {
    const [old = [], now = []] = [before.get(number), after.get(number)]
    if (areEqual(old, now)) {
      // What is removed is a range of blocks, so none that stays may lie within.
      endRun()
      continue
    }
    if (old.length > 0) run.gone = { from: run.gone?.from ?? number, to: number }
    for (const { event } of now) run.come.push(event)
    for (const { swap } of [...old, ...now]) rows.push(swap)
  }
  endRun()
  return { events, rows }
}

function areEqual(a: readonly EdgeRow[], b: readonly EdgeRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.event.json === b[at]?.event.json)
}
