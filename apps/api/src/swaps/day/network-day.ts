import { type Address, present } from '@dexfeed/dex'
import { CELL_BLOCKS, cellOf, type ListedNetwork, type ListSnapshot } from '@dexfeed/store'
import type { RenderedBlock } from './rendered-block.ts'
import { RowRenderer, renderBlocks } from './row-renderer.ts'
import type { Segment, SegmentStore } from './segment-store.ts'

const MAX_UNSETTLED = 64
/** Smaller segments are packed into common files, once this many are alone in their files. */
const SMALL_BYTES = 2 ** 18
const MANY_FILES = 64
const FEW_IN_FILE = 8

export interface Cell {
  readonly number: number
  /** Differs whenever the rows may differ. */
  readonly version: string
  /** Null: the cell is empty, or still open. */
  readonly segment: Segment | null
  /** The blocks of an open cell, else null. */
  readonly blocks: readonly RenderedBlock[] | null
  /** Tokens of rows that were left out because the database does not have them. */
  readonly unknown: readonly Address[]
  /** Block time of the youngest row in seconds, also of rows that were left out. */
  readonly youngest: number
}

export interface NetworkDay {
  readonly network: ListedNetwork
  /** Seconds: the rows are complete from here on. */
  readonly since: number
  readonly cells: readonly Cell[]
}

interface Extent {
  from: number
  to: number
  versions: ReadonlyMap<number, string>
}

interface Source {
  snapshot: ListSnapshot
  network: ListedNetwork
  learnt: ReadonlySet<Address>
  signal: AbortSignal
}

export class NetworkRenderer {
  readonly #store: SegmentStore
  #renderer: { of: string; rows: RowRenderer } | null = null
  #day: NetworkDay | null = null
  #extentOfDay: Extent | null = null
  #unknown: ReadonlySet<Address> = new Set()

  constructor(store: SegmentStore) {
    this.#store = store
  }

  get unknown(): ReadonlySet<Address> {
    return this.#unknown
  }

  async render(
    snapshot: ListSnapshot,
    network: ListedNetwork,
    since: number,
    signal: AbortSignal,
  ): Promise<NetworkDay> {
    const known = this.#day
    const learnt = await this.#learnt(snapshot, network)
    const isWhole = known?.cells.every(({ segment }) => !this.#store.isLost(segment))
    if (known?.network.stamp === network.stamp && known.since <= since && learnt.size === 0 && isWhole) {
      this.#day = { ...known, network }
      return this.#day
    }
    // If a rendering fails, everything stays as it was.
    const extent = await this.#extent(snapshot, network, since)
    const source = { snapshot, network, learnt, signal }
    const cells = extent === null ? [] : await this.#cells(source, extent)
    const kept = new Set(cells.map(({ segment }) => segment))
    for (const { segment } of known?.cells ?? []) {
      if (segment !== null && !kept.has(segment)) this.#store.retire(segment)
    }
    this.#day = { network, since, cells }
    this.#extentOfDay = extent
    this.#unknown = new Set(cells.flatMap((cell) => cell.unknown))
    return this.#day
  }

  async #learnt(snapshot: ListSnapshot, { network }: ListedNetwork): Promise<ReadonlySet<Address>> {
    const { unknown } = this
    if (unknown.size === 0) return unknown
    return new Set((await snapshot.tokens(network, [...unknown])).map(({ address }) => address))
  }

  async #extent(snapshot: ListSnapshot, network: ListedNetwork, since: number): Promise<Extent | null> {
    const known = this.#day
    const before = this.#extentOfDay
    // If only the head has moved, new rows are all above the old head.
    if (before !== null && known !== null && known.since <= since && known.network.history === network.history) {
      const from = this.#firstOf(known, since)
      const to = Math.max(before.to, network.head?.number ?? before.to)
      return { ...before, from: Math.max(before.from, from), to }
    }
    const window = await snapshot.window(network, since)
    if (window === null) return null
    return { ...window, versions: await snapshot.cellVersions(network, cellOf(window.from)) }
  }

  #firstOf({ cells }: NetworkDay, since: number): number {
    const first = cells.find(({ blocks, youngest }) => blocks !== null || youngest >= since)
    return first === undefined ? 0 : first.number * CELL_BLOCKS
  }

  async #cells(source: Source, extent: Extent): Promise<Cell[]> {
    const { network, learnt } = source
    const first = cellOf(extent.from)
    const last = cellOf(extent.to)
    const known = new Map(this.#day?.cells.map((cell) => [cell.number, cell]))
    const plan: CellPlan[] = []
    for (let number = first; number <= last; number++) {
      // A cell without a stored version has not changed since the list's version.
      const version = `${network.listVersion}-${extent.versions.get(number) ?? 0}`
      plan.push(await this.#plan({ number, version, network }, known.get(number), learnt))
    }
    const read = await this.#read(source, plan)
    return this.#packed(await this.#seal(network, plan, read))
  }

  async #plan(
    { number, version, network }: { number: number; version: string; network: ListedNetwork },
    known: Cell | undefined,
    learnt: ReadonlySet<Address>,
  ): Promise<CellPlan> {
    const { finalNumber, reorgs } = network
    const end = (number + 1) * CELL_BLOCKS - 1
    const unsettled = `${version}-r${reorgs}`
    const current = finalNumber !== null && end <= finalNumber ? version : unsettled
    const plan = { number, version: current, end, readFrom: number * CELL_BLOCKS, cell: null }
    const isRight = known !== undefined && (known.version === current || known.version === unsettled)
    if (isRight && !this.#store.isLost(known.segment) && !known.unknown.some((address) => learnt.has(address))) {
      const readTo = known.blocks === null ? end : readToOf(this.#day?.network)
      const readFrom = Math.max(plan.readFrom, readTo + 1)
      const blocks = known.blocks?.filter((block) => block.number < readFrom) ?? null
      return { ...plan, readFrom, cell: { ...known, version: current, blocks } }
    }
    if (isOpen(number, network)) return plan
    // It was rendered before, for a list that failed or by another process.
    const segment = await this.#store.find(nameOf(network, number, current))
    if (segment === null) return plan
    const cell = { number, version: current, segment, blocks: null, unknown: [], youngest: segment.youngest }
    return { ...plan, readFrom: end + 1, cell }
  }

  async #read({ snapshot, network, signal }: Source, plan: readonly CellPlan[]): Promise<Map<number, ReadCell>> {
    const cells = new Map<number, ReadCell>()
    const writer = this.#store.writer()
    let current = null as ReadCell | null
    let writing: Promise<void> = Promise.resolve()
    const leave = async (cell: ReadCell | null) => {
      const planned = cell === null ? undefined : plan[cell.number - present(plan[0]).number]
      // A complete cell goes to disk while the next ones are read, because all may not fit into memory.
      if (cell === null || planned === undefined || planned.cell !== null || isOpen(cell.number, network)) return
      const { blocks, unknown } = cell
      await writing
      if (blocks.length === 0) return
      const of = { name: nameOf(network, planned.number, planned.version), network: network.network, blocks }
      writing = writer.add({ ...of, unknown: [...unknown] }, (segment) => Object.assign(cell, { segment, blocks: [] }))
      writing.catch(() => undefined)
    }
    const renderer = this.#rendererOf(network)
    for (const { from, to } of rangesToRead(plan)) {
      for await (const block of renderBlocks(renderer, snapshot.rows(network, from, to), snapshot.tokens)) {
        const number = cellOf(block.number)
        signal.throwIfAborted()
        if (current?.number !== number) {
          await leave(current)
          current = { number, blocks: [], unknown: new Set(), segment: null, youngest: Number.NEGATIVE_INFINITY }
          cells.set(number, current)
        }
        for (const address of block.unknown) current.unknown.add(address)
        current.youngest = Math.max(current.youngest, block.time)
        if (block.rendered !== null) current.blocks.push(block.rendered)
      }
    }
    await leave(current)
    await writing
    await writer.finish()
    return cells
  }

  async #seal(network: ListedNetwork, plan: readonly CellPlan[], read: ReadonlyMap<number, ReadCell>): Promise<Cell[]> {
    const writer = this.#store.writer()
    const cells: (Cell & { segment: Segment | null })[] = []
    for (const { number, version, cell } of plan) {
      const fresh = read.get(number)
      const unknown = [...new Set([...(cell?.unknown ?? []), ...(fresh?.unknown ?? [])])]
      if (cell !== null && cell.blocks === null) cells.push(cell)
      else {
        const blocks = [...(cell?.blocks ?? []), ...(fresh?.blocks ?? [])]
        const isWritten = !isOpen(number, network)
        const youngest = Math.max(
          cell?.youngest ?? Number.NEGATIVE_INFINITY,
          fresh?.youngest ?? Number.NEGATIVE_INFINITY,
        )
        const segment = fresh?.segment ?? null
        const sealed = { number, version, segment, blocks: isWritten ? null : blocks, unknown, youngest }
        cells.push(sealed)
        if (!isWritten || blocks.length === 0) continue
        const of = { name: nameOf(network, number, version), network: network.network, blocks, unknown }
        await writer.add(of, (segment) => {
          sealed.segment = segment
        })
      }
    }
    await writer.finish()
    return cells
  }

  async #packed(cells: readonly Cell[]): Promise<Cell[]> {
    const small = cells.filter(
      ({ segment }) => segment !== null && segment.length < SMALL_BYTES && this.#store.sharing(segment) < FEW_IN_FILE,
    )
    if (small.length < MANY_FILES) return [...cells]
    const segments = await this.#store.pack(small.flatMap(({ segment }) => segment ?? []))
    for (const { segment } of small) if (segment !== null) this.#store.retire(segment)
    const packed = new Map(small.map((cell, at) => [cell, segments[at] ?? cell.segment]))
    return cells.map((cell) => ({ ...cell, segment: packed.get(cell) ?? cell.segment }))
  }

  #rendererOf({ network, wrappedNative, listVersion }: ListedNetwork): RowRenderer {
    const of = `${wrappedNative} ${listVersion}`
    if (this.#renderer?.of !== of) this.#renderer = { of, rows: new RowRenderer(network, wrappedNative) }
    return this.#renderer.rows
  }
}

interface CellPlan {
  number: number
  version: string
  end: number
  readFrom: number
  cell: Cell | null
}

interface ReadCell {
  number: number
  blocks: RenderedBlock[]
  unknown: Set<Address>
  segment: Segment | null
  youngest: number
}

/** Returns whether a cell's rows stay in memory, because rows may still be added or replaced. */
function isOpen(cell: number, { head, finalNumber }: ListedNetwork): boolean {
  const isFinal = finalNumber !== null && (cell + 1) * CELL_BLOCKS - 1 <= finalNumber
  // After a repair the head is missing until a follower runs again.
  if (head === null) return !isFinal
  if (cell >= cellOf(head.number)) return true
  return !isFinal && cell > cellOf(head.number) - MAX_UNSETTLED
}

/** Returns the last block that an open cell holds completely. The follower did not write rows above the head. */
function readToOf(network: ListedNetwork | undefined): number {
  return network?.head?.number ?? -1
}

function nameOf({ network }: ListedNetwork, cell: number, version: string): string {
  return `${network}-${cell}-${version}`
}

function rangesToRead(plan: readonly CellPlan[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  for (const { readFrom, end } of plan) {
    if (readFrom > end) continue
    const last = ranges.at(-1)
    if (last !== undefined && last.to + 1 === readFrom) last.to = end
    else ranges.push({ from: readFrom, to: end })
  }
  return ranges
}
