import type { Address, BlockRange, Token } from '@dexfeed/dex'
import type { EdgeSnapshot, ListedNetwork, SwapWithHops } from '@dexfeed/store'
import { swapOf } from '../swaps.ts'
import { type EdgeEvent, edgeEvent } from './edge-event.ts'

/** A trade with its row of `/v1/swaps`. */
export interface EdgeTrade extends SwapWithHops {
  row: ReturnType<typeof swapOf>
}

interface EdgeRow {
  swap: EdgeTrade
  event: EdgeEvent
  unknown: readonly Address[]
}

/** Trades by block, in order. Blocks without trades are left out. */
export type EdgeBlocks = ReadonlyMap<number, readonly EdgeRow[]>

interface Difference {
  events: EdgeEvent[]
  /** All trades that were removed or added. */
  rows: SwapWithHops[]
  added: SwapWithHops[]
}

/** Returns the events that turn `before` into `after`, block by block. Equal trades are not sent again. */
export function differenceOf(network: SwapWithHops['network'], before: EdgeBlocks, after: EdgeBlocks): Difference {
  const events: EdgeEvent[] = []
  const rows: SwapWithHops[] = []
  const addedRows: SwapWithHops[] = []
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
      // A removal covers a range of blocks, which must not contain a trade that stays.
      endRun()
      continue
    }
    if (old.length > 0) run.removed = { from: run.removed?.from ?? number, to: number }
    for (const { event, swap } of now) {
      run.added.push(event)
      addedRows.push(swap)
    }
    for (const { swap } of [...old, ...now]) rows.push(swap)
  }
  endRun()
  return { events, rows, added: addedRows }
}

function areEqual(a: readonly EdgeRow[], b: readonly EdgeRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.event.json === b[at]?.event.json)
}

export async function readRows(
  snapshot: EdgeSnapshot,
  network: ListedNetwork,
  ranges: readonly BlockRange[],
  limit: number,
): Promise<EdgeBlocks | null> {
  const swaps: SwapWithHops[] = []
  for (const range of ranges) {
    const found = await snapshot.swaps(network, range, limit - swaps.length + 1)
    for (const swap of found) swaps.push(swap)
    if (swaps.length > limit) return null
  }
  const addresses = new Set(swaps.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))
  const tokens = await snapshot.tokens(network.network, [...addresses])
  const known = new Map(tokens.map((token) => [token.address, token]))
  const blocks = new Map<number, EdgeRow[]>()
  for (const swap of swaps) {
    const sent = blocks.get(swap.blockNumber)
    if (sent === undefined) blocks.set(swap.blockNumber, [rowOf(swap, known, network)])
    else sent.push(rowOf(swap, known, network))
  }
  return blocks
}

function rowOf(swap: SwapWithHops, tokens: ReadonlyMap<Address, Token>, network: ListedNetwork): EdgeRow {
  const { sellToken, sellNative, buyToken, buyNative } = swap
  const named = [sellNative ? null : sellToken, buyNative ? null : buyToken]
  const row = swapOf(swap, tokens, network)
  const trade = { ...swap, row }
  return {
    swap: trade,
    event: { name: 'swap', json: JSON.stringify(row), swap: trade },
    unknown: named.filter((token) => token !== null && !tokens.has(token)) as Address[],
  }
}
