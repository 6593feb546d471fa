import type { NetworkName } from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import type { Database } from '../database/database.ts'
import { textRows, withClient, withSnapshot } from '../database/reading-session.ts'
import type { Db } from '../database/transaction.ts'
import { StoreError } from '../store-error.ts'
import {
  countUnsure,
  findWindowStart,
  type SwapPlace,
  type SwapRange,
  type SwapRow,
  swapPage,
  toSwapRow,
  type UnsureSwaps,
} from '../tables/swap/swap-list.ts'
import { compareSwaps, lastPlaceOf, mergeSwaps, type PlacedSwap, placeAfter, type SwapPages } from './merge-swaps.ts'
import { type IndexedNetwork, readNetworks } from './networks.ts'

const PAGE_ROWS = 500
/** Reorgable swaps of one network that a response may hold in memory. */
const MAX_TAIL_ROWS = 5_000

/** Which swaps of the list. */
export interface SwapSelection {
  /** Seconds: swaps in blocks no older than this. */
  since: number
  /** Absent: all networks that are being indexed. */
  network?: NetworkName
  /** Only what comes behind this place of the list. */
  after?: PlacedSwap
  signal?: AbortSignal
}

export interface SwapWindow {
  /** The networks that were selected, as of the moment that the rows belong to. */
  networks: readonly IndexedNetwork[]
  /** Swaps of the list without a sure value. */
  unsure: UnsureSwaps
  /** The list in order, in pieces that are read as they are asked for. Holds no transaction open meanwhile. */
  batches: AsyncGenerator<SwapRow[], undefined>
}

export interface SwapWindowOptions {
  pageRows?: number
  maxTailRows?: number
}

interface Section {
  network: IndexedNetwork
  range: SwapRange
  /** The reorgable part, read at the start; null when it is too long to be held. */
  tail: SwapRow[] | null
  unsure: UnsureSwaps
}

/** Blocks were rolled back while a list was read: what is left would not fit what was given out. */
class ReorgWhileReading extends StoreError {
  constructor(network: NetworkName) {
    super(`${network} was rolled back during the read`, { retryable: true })
  }
}

/**
 * The selected swaps as one list that belongs to one moment. A first short transaction reads how far the networks are
 * and the reorgable swaps; final swaps, which nobody changes, are read page by page later. So a slow reader holds no
 * snapshot, and a reorg never shows in the middle of a list. Where the reorgable part is too long for memory (a chain
 * without finality) it is read by pages too, and a reorg ends the read with a retryable error.
 */
export async function openSwapWindow(
  database: Pick<Database, 'pool' | 'prisma'>,
  selection: SwapSelection,
  { pageRows = PAGE_ROWS, maxTailRows = MAX_TAIL_ROWS }: SwapWindowOptions = {},
): Promise<SwapWindow> {
  const { networks, sections } = await withSnapshot(database, selection.signal, async (tx, client) => {
    const networks = await readSelected(tx, selection)
    const sections: Section[] = []
    for (const network of networks) {
      const range = await rangeOf(tx, network, selection)
      if (range !== null) sections.push(await readSection(tx, client, network, range, maxTailRows))
    }
    return { networks, sections }
  })
  return {
    networks,
    unsure: {
      unpriced: sections.reduce((sum, { unsure }) => sum + unsure.unpriced, 0),
      flagged: sections.reduce((sum, { unsure }) => sum + unsure.flagged, 0),
    },
    batches: mergeSwaps(sections.map((section) => pagesOf(database, section, pageRows, selection.signal))),
  }
}

export interface SwapPage {
  networks: readonly IndexedNetwork[]
  rows: readonly SwapRow[]
  /** There are swaps behind the last row. */
  more: boolean
}

/** The first `limit` of the selected swaps, all from one snapshot. */
export async function readSwapList(
  database: Pick<Database, 'pool' | 'prisma'>,
  selection: SwapSelection,
  limit: number,
): Promise<SwapPage> {
  return withSnapshot(database, selection.signal, async (tx, client) => {
    const networks = await readSelected(tx, selection)
    const rows: SwapRow[] = []
    for (const network of networks) {
      const range = await rangeOf(tx, network, selection)
      if (range !== null) rows.push(...(await readSwapPage(client, range, limit + 1)))
    }
    rows.sort(compareSwaps)
    return { networks, rows: rows.slice(0, limit), more: rows.length > limit }
  })
}

async function readSelected(tx: Db, { network }: SwapSelection): Promise<IndexedNetwork[]> {
  const networks = await readNetworks(tx)
  return network === undefined ? networks : networks.filter((indexed) => indexed.network === network)
}

/** Null when no swap of the network is young enough. */
async function rangeOf(
  tx: Db,
  { network }: IndexedNetwork,
  { since, after }: SwapSelection,
): Promise<SwapRange | null> {
  const start = await findWindowStart(tx, network, since)
  if (start === null) return null
  const places = [lastPlaceOf(start - 1), ...(after === undefined ? [] : [placeAfter(network, after)])]
  return { network, since, upTo: Number.MAX_SAFE_INTEGER, after: furthest(places) }
}

async function readSection(
  tx: Db,
  client: PoolClient,
  network: IndexedNetwork,
  range: SwapRange,
  maxTailRows: number,
): Promise<Section> {
  const after = furthest([range.after, lastPlaceOf(network.finalNumber ?? -1)])
  const tail = await readSwapPage(client, { ...range, after }, maxTailRows + 1)
  const unsure = await countUnsure(tx, range)
  if (tail.length <= maxTailRows) return { network, range, tail, unsure }
  // Read later, it must not run into blocks that come meanwhile.
  return { network, range: { ...range, upTo: network.head?.number ?? range.upTo }, tail: null, unsure }
}

async function* pagesOf(
  database: Pick<Database, 'pool' | 'prisma'>,
  { network, range, tail }: Section,
  pageRows: number,
  signal: AbortSignal | undefined,
): SwapPages {
  if (tail === null) {
    yield* keysetPages(range, pageRows, (rest) => readGuarded(database, network, rest, pageRows, signal))
    return
  }
  const final = { ...range, upTo: network.finalNumber ?? -1 }
  if (final.after.blockNumber <= final.upTo) {
    const read = (rest: SwapRange) =>
      withClient(database.pool, signal, (client) => readSwapPage(client, rest, pageRows))
    yield* keysetPages(final, pageRows, read)
  }
  if (tail.length > 0) yield tail
}

/** Page after page, the next one being read while the one before is used. */
async function* keysetPages(
  range: SwapRange,
  pageRows: number,
  read: (rest: SwapRange) => Promise<SwapRow[]>,
): SwapPages {
  let page = await read(range)
  for (;;) {
    const last = page.at(-1)
    if (last === undefined) return
    if (page.length < pageRows) {
      yield page
      return
    }
    const next = read({ ...range, after: last })
    // Whoever stops reading leaves it behind; whoever goes on meets its error below.
    next.catch(() => undefined)
    yield page
    page = await next
  }
}

/** A page of swaps that the chain may take back, as long as none was rolled back since the list began. */
async function readGuarded(
  database: Pick<Database, 'pool' | 'prisma'>,
  { network, reorgs }: IndexedNetwork,
  range: SwapRange,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<SwapRow[]> {
  return withSnapshot(database, signal, async (tx, client) => {
    const now = (await readNetworks(tx)).find((indexed) => indexed.network === network)
    if (now?.reorgs !== reorgs) throw new ReorgWhileReading(network)
    return readSwapPage(client, range, limit)
  })
}

async function readSwapPage(client: PoolClient, range: SwapRange, limit: number): Promise<SwapRow[]> {
  return (await textRows(client, swapPage(range, limit))).map((row) => toSwapRow(range.network, row))
}

function furthest(places: readonly SwapPlace[]): SwapPlace {
  return places.reduce((a, b) => (comparePlaces(a, b) < 0 ? b : a))
}

function comparePlaces(a: SwapPlace, b: SwapPlace): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.position - b.position
}
