import { createHash } from 'node:crypto'
import { type Address, type BlockRange, DAY_S, type NetworkName, type PoolAddress, SECOND } from '@dexfeed/dex'
import { CELL_BLOCKS, cellOf, type EdgeSnapshot, type ListedNetwork, type SentAlert } from '@dexfeed/store'
import { type EdgeEvent, edgeEvent } from './edge-event.ts'
import { differenceOf, type EdgeBlocks, type EdgeTrade, type PoolValues, readRows, valued } from './edge-rows.ts'
import { type KnownPrices, rollUpEvents } from './roll-up-events.ts'

const MAX_ROWS = 20_000
const MAX_ALERTS = 5_000
/** How long before the head, in seconds, rows of final blocks are kept. */
const KEPT_S = 600
/** As many newest trades are kept longer, for searches. */
const MIN_TRADES = 2_000
/** Maximum number of remembered token prices. A forgotten price may be sent twice. */
const MAX_PRICES = 20_000
const ID_LENGTH = 12

export interface NetworkEdge {
  standing: ListedNetwork
  /** First block whose rows are kept, which begins a cell. Blocks above the final one are always kept. */
  floor: number
  blocks: EdgeBlocks
  unknown: readonly Address[]
  cells: ReadonlyMap<number, string>
  prices: KnownPrices
  /** The number of the last row on alerts. */
  lastAlert: number
}

export interface EdgeStep {
  edge: NetworkEdge | null
  events: EdgeEvent[]
}

/** Returns an edge's id. Edges with the same id have the same rows, in every process. */
export function idOf({ standing, unknown }: NetworkEdge): string {
  const text = JSON.stringify([standing.stamp, [...unknown].sort()])
  return createHash('sha256').update(text).digest('base64url').slice(0, ID_LENGTH)
}

export function headEvent({ network, head, finalNumber }: ListedNetwork): EdgeEvent {
  return edgeEvent('head', {
    network,
    block_number: head === null ? null : String(head.number),
    time: head === null ? null : iso(head.timestamp),
    final_block: finalNumber === null ? null : String(finalNumber),
  })
}

async function beginEdge(snapshot: EdgeSnapshot, standing: ListedNetwork): Promise<NetworkEdge> {
  const cells = await snapshot.cellVersions(standing)
  const { head, finalNumber } = standing
  const lastAlert = await snapshot.lastAlert(standing)
  const empty = { blocks: new Map(), unknown: [], prices: new Map(), lastAlert }
  if (head === null) return { standing, cells, floor: 0, ...empty }
  const oldest = await snapshot.blockOfNewest(standing, MIN_TRADES)
  const floor = startOfCell(Math.min((finalNumber ?? head.number) + 1, oldest ?? head.number))
  const blocks = await readRows(snapshot, standing, [{ from: floor, to: head.number }], MAX_ROWS)
  if (blocks === null) return { standing, cells, floor: head.number + 1, ...empty }
  return { ...empty, standing, cells, floor, blocks, unknown: unknownOf(blocks) }
}

/** Returns the step from an edge to the state of a snapshot; null if nothing has changed. */
export async function nextEdge(
  snapshot: EdgeSnapshot,
  known: NetworkEdge | null,
  standing: ListedNetwork | null,
  { rollUps, values = new Map() }: { rollUps: boolean; values?: PoolValues | undefined },
): Promise<EdgeStep | null> {
  if (standing === null) return known === null ? null : { edge: null, events: [wholeReset(known.standing)] }
  if (known === null || isAnother(known.standing, standing)) return beginAgain(snapshot, standing)
  const learnt = snapshot.hasNewTokens ? await snapshot.tokens(standing.network, known.unknown) : []
  const alerts = await snapshot.alertsAfter(standing, known.lastAlert, MAX_ALERTS + 1)
  if (alerts.length > MAX_ALERTS) return beginAgain(snapshot, standing)
  if (known.standing.stamp === standing.stamp && learnt.length + alerts.length === 0) return null
  const isTouched = known.standing.history !== standing.history
  const cells = isTouched ? await snapshot.cellVersions(standing) : known.cells
  const touched = cellsThatDiffer(known.cells, cells)
  const below = rangesBelow(known, standing, touched)
  const ranges = rangesToRead(known, standing, { touched, learnt: new Set(learnt.map(({ address }) => address)) })
  const read = await readRows(snapshot, standing, ranges, MAX_ROWS)
  if (read === null) return beginAgain(snapshot, standing)
  const before = within(known.blocks, ranges)
  // One range at a time: a removal must not span the trades between two ranges.
  const parts = ranges.map((range) => differenceOf(standing.network, within(before, [range]), within(read, [range])))
  const added = { rows: parts.flatMap((part) => part.rows), added: parts.flatMap((part) => part.added) }
  const rolledUp = await rollUpEvents(snapshot, standing, rollUps ? added : { rows: [], added: [] }, known.prices)
  const blocks = replaced(known.blocks, before, read)
  // Blocks that were read again may be of another branch, on which the values are not known.
  const worth = valued(replaced(known.blocks, before, new Map()), values)
  const resets: EdgeEvent[] = []
  for (const range of below) resets.push(await historyReset(snapshot, standing, range))
  const edge = pruned({
    ...known,
    standing,
    cells,
    blocks: new Map([...blocks, ...worth]),
    // Without listeners, prices are not followed, so that the next one gets them again.
    prices: rollUps ? moved(known.prices, rolledUp.prices) : new Map(),
    lastAlert: alerts.at(-1)?.number ?? known.lastAlert,
  })
  const changed = [...parts.flatMap(({ events }) => events), ...newValues(blocks, worth)]
  return { edge, events: [...resets, ...changed, ...rolledUp.events, ...alerts.map(alertEvent)] }
}

function alertEvent({ id, number: sequence, status, details }: SentAlert): EdgeEvent {
  return edgeEvent('alert', { id, sequence, status, ...JSON.parse(details) })
}

async function beginAgain(snapshot: EdgeSnapshot, standing: ListedNetwork): Promise<EdgeStep> {
  return { edge: await beginEdge(snapshot, standing), events: [wholeReset(standing)] }
}

function isAnother(known: ListedNetwork, now: ListedNetwork): boolean {
  return known.listVersion !== now.listVersion || (known.head === null) !== (now.head === null)
}

function cellsThatDiffer(known: ReadonlyMap<number, string>, now: ReadonlyMap<number, string>): number[] {
  return [...now].filter(([cell, version]) => known.get(cell) !== version).map(([cell]) => cell)
}

function rangesBelow({ standing, floor }: NetworkEdge, now: ListedNetwork, touched: readonly number[]): BlockRange[] {
  const cells = touched.map((cell) => ({ from: cell * CELL_BLOCKS, to: Math.min((cell + 1) * CELL_BLOCKS, floor) - 1 }))
  const rolledBack = { from: (standing.finalNumber ?? -1) + 1, to: floor - 1 }
  return merged(standing.reorgs === now.reorgs ? cells : [...cells, rolledBack])
}

function rangesToRead(
  { standing, floor, blocks }: NetworkEdge,
  { head, reorgs }: ListedNetwork,
  { touched, learnt }: { touched: readonly number[]; learnt: ReadonlySet<Address> },
): BlockRange[] {
  const to = Math.max(head?.number ?? -1, standing.head?.number ?? -1)
  const isRolledBack = standing.reorgs !== reorgs
  const from = isRolledBack ? (standing.finalNumber ?? -1) : (standing.head?.number ?? -1)
  const cells = touched.map((cell) => ({ from: cell * CELL_BLOCKS, to: (cell + 1) * CELL_BLOCKS - 1 }))
  const named = [...blocks].filter(([, rows]) => rows.some(({ unknown }) => unknown.some((text) => learnt.has(text))))
  const single = named.map(([number]) => ({ from: number, to: number }))
  const all = [...cells, ...single, { from: from + 1, to }]
  return merged(all.map((range) => ({ from: Math.max(range.from, floor), to: Math.min(range.to, to) })))
}

function merged(ranges: readonly BlockRange[]): BlockRange[] {
  const joined: BlockRange[] = []
  for (const { from, to } of ranges.filter(({ from, to }) => from <= to).sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to + 1) joined.splice(-1, 1, { from: last.from, to: Math.max(last.to, to) })
    else joined.push({ from, to })
  }
  return joined
}

function within(blocks: EdgeBlocks, ranges: readonly BlockRange[]): EdgeBlocks {
  return new Map([...blocks].filter(([number]) => ranges.some(({ from, to }) => from <= number && number <= to)))
}

/** Returns the pools whose values became known. */
function newValues(blocks: EdgeBlocks, worth: EdgeBlocks): EdgeEvent[] {
  return [...worth].flatMap(([number, rows]) => {
    const before = blocks.get(number)
    return rows.filter((row, at) => row !== before?.[at]).map(({ event }) => event)
  })
}

/** Returns the most recently created pools whose liquidity has no known value, newest first. */
export function unvaluedPools({ blocks }: NetworkEdge, limit: number): PoolAddress[] {
  const rows = [...blocks].sort(([a], [b]) => b - a).flatMap(([, own]) => own)
  return rows.flatMap(({ pool }) => (pool?.liquidity_usd === null ? [pool.address] : [])).slice(0, limit)
}

function replaced(blocks: EdgeBlocks, removed: EdgeBlocks, added: EdgeBlocks): EdgeBlocks {
  const left = [...blocks].filter(([number]) => !removed.has(number))
  return new Map([...left, ...added])
}

function moved(known: KnownPrices, prices: KnownPrices): KnownPrices {
  if (prices.size === 0) return known
  return new Map([...known, ...prices].slice(-MAX_PRICES))
}

/** Drops rows that are too old or too many. Those above the final block are dropped only if there are too many. */
function pruned(edge: NetworkEdge): NetworkEdge {
  const { head, finalNumber } = edge.standing
  if (head === null) return { ...edge, unknown: unknownOf(edge.blocks) }
  const [since, dayAgo] = [head.timestamp - KEPT_S, head.timestamp - DAY_S]
  let rows = 0
  let trades = 0
  let floor = edge.floor
  for (const [number, own] of [...edge.blocks].sort(([a], [b]) => b - a)) {
    rows += own.length
    trades += own.filter(({ swap }) => swap !== null).length
    const isOld = number <= (finalNumber ?? -1) && own.every(({ time }) => time < since)
    const isEnough = isOld && trades > MIN_TRADES
    // Cells are without versions after a day, so that changes would go unseen.
    if (!isEnough && rows <= MAX_ROWS && own.every(({ time }) => time >= dayAgo)) continue
    floor = Math.max(floor, rows > MAX_ROWS ? number + 1 : startOfCell(number + 1))
    break
  }
  const blocks = floor === edge.floor ? edge.blocks : new Map([...edge.blocks].filter(([number]) => number >= floor))
  return { ...edge, floor, blocks, unknown: unknownOf(blocks) }
}

const inOrderOfTime = new WeakMap<EdgeBlocks, readonly EdgeTrade[]>()

export function newestFirst({ blocks }: NetworkEdge): readonly EdgeTrade[] {
  const known = inOrderOfTime.get(blocks)
  if (known !== undefined) return known
  const sorted = [...blocks]
    .sort(([a], [b]) => b - a)
    .flatMap(([, rows]) => rows.flatMap(({ swap }) => swap ?? []).reverse())
  inOrderOfTime.set(blocks, sorted)
  return sorted
}

function unknownOf(blocks: EdgeBlocks): Address[] {
  return [...new Set([...blocks.values()].flatMap((rows) => rows.flatMap(({ unknown }) => unknown)))]
}

function startOfCell(block: number): number {
  return cellOf(block) * CELL_BLOCKS
}

export function wholeReset({ network }: { network: NetworkName }, reason: 'network' | 'resume' = 'network'): EdgeEvent {
  return edgeEvent('reset', { network, reason, from_block: null, to_block: null, from: null, to: null })
}

async function historyReset(
  snapshot: EdgeSnapshot,
  { network }: ListedNetwork,
  blocks: BlockRange,
): Promise<EdgeEvent> {
  const times = await snapshot.times(network, blocks)
  return edgeEvent('reset', {
    network,
    reason: 'history',
    from_block: String(blocks.from),
    to_block: String(blocks.to),
    from: times === null ? null : iso(times.from),
    to: times === null ? null : iso(times.to + 1),
  })
}

function iso(seconds: number): string {
  return new Date(seconds * SECOND).toISOString().replace('.000', '')
}
