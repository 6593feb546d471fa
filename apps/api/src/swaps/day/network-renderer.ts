import { type Address, type BlockRange, present } from '@dexfeed/dex'
import { CELL_BLOCKS, cellOf, type ListedNetwork, type ListSnapshot, type SwapRow } from '@dexfeed/store'
import type { ListedRow } from './listed-row.ts'
import { RowRenderer } from './row-renderer.ts'
import type { KeptRows, RowStore } from './row-store.ts'

/** This many cells below the head stay in memory if they are not final. */
const MAX_UNSETTLED = 64
/** A window is read again after this many seconds, because it moves. */
const WINDOW_S = 300

export interface Cell extends KeptRows {
  readonly number: number
  /** Differs whenever the rows may differ. */
  readonly version: string
  /** The rows up to this block are complete; infinite if no rows will be added. */
  readonly readTo: number
  /** Tokens of rows that were left out because the database does not have them. */
  readonly unknown: readonly Address[]
}

/** A cell of which rows are to be read or written. */
class Draft {
  readonly number: number
  readonly version: string
  readonly readFrom: number
  readonly rows: ListedRow[]
  readonly unknown: Set<Address>

  constructor(number: number, version: string, known: Cell | null) {
    this.number = number
    this.version = version
    this.readFrom = Math.max(number * CELL_BLOCKS, 1 + (known?.readTo ?? -1))
    this.rows = known?.rows.filter(({ blockNumber }) => blockNumber < this.readFrom) ?? []
    this.unknown = new Set(known?.unknown)
  }

  add(row: SwapRow, renderer: RowRenderer, missing: ReadonlySet<Address>): void {
    for (const token of [row.sellToken, row.buyToken]) if (missing.has(token)) this.unknown.add(token)
    const rendered = renderer.render(row)
    if (rendered !== null) this.rows.push(rendered)
  }
}

/** Keeps the cells of a network. Each is right as long as its version is, so a rendering that failed is continued. */
export class NetworkRenderer {
  readonly #store: RowStore
  readonly #cells = new Map<number, Cell>()
  #renderer: { of: string; rows: RowRenderer } | null = null
  #unknown = new Set<Address>()
  /** What changes only with the history; the blocks have all rows since `since` up to the head of that time. */
  #past: { history: string; since: number; window: BlockRange; versions: ReadonlyMap<number, string> } | null = null
  /** Of the last rendering that succeeded. */
  #day: { stamp: string; since: number; cells: readonly Cell[] } | null = null

  constructor(store: RowStore) {
    this.#store = store
  }

  get cells(): Iterable<Cell> {
    return this.#cells.values()
  }

  get unknown(): ReadonlySet<Address> {
    return this.#unknown
  }

  /** Returns the cells that have rows since `since`, in order. */
  async render(
    snapshot: ListSnapshot,
    network: ListedNetwork,
    since: number,
    signal: AbortSignal,
  ): Promise<readonly Cell[]> {
    const tokens = this.#unknown.size === 0 ? [] : await snapshot.tokens(network.network, [...this.#unknown])
    const learnt = new Set(tokens.map(({ address }) => address))
    const isSame = this.#day?.stamp === network.stamp && this.#day.since <= since && learnt.size === 0
    if (this.#day !== null && isSame && !this.#day.cells.some((cell) => this.#store.isStale(cell))) {
      return this.#day.cells
    }
    await this.#readPast(snapshot, network, since)
    const first = this.#past === null ? 0 : cellOf(this.#past.window.from)
    const last = this.#past === null ? -1 : cellOf(Math.max(this.#past.window.to, headOf(network)))
    for (const number of this.#cells.keys()) if (number < first || number > last) this.#cells.delete(number)
    const drafts: Draft[] = []
    for (let number = first; number <= last; number++) {
      signal.throwIfAborted()
      const draft = await this.#draftOf(network, number, this.#past?.versions.get(number), learnt)
      if (draft !== null) drafts.push(draft)
    }
    await this.#read(snapshot, network, drafts, signal)
    const all = [...this.#cells.values()].sort((a, b) => a.number - b.number)
    const cells = all.filter(({ segment, rows }) => segment !== null || rows.length > 0)
    this.#unknown = new Set(all.flatMap(({ unknown }) => unknown))
    this.#day = { stamp: network.stamp, since, cells }
    return cells
  }

  async #readPast(snapshot: ListSnapshot, network: ListedNetwork, since: number): Promise<void> {
    const { history } = network
    const known = this.#past
    if (known?.history === history && known.since <= since && since < known.since + WINDOW_S) return
    const window = await snapshot.window(network, since)
    this.#past = window && { history, since, window, versions: await snapshot.cellVersions(network) }
  }

  /** @param stored a cell without a stored version has not changed since the list's version */
  async #draftOf(
    network: ListedNetwork,
    number: number,
    stored: string | undefined,
    learnt: ReadonlySet<Address>,
  ): Promise<Draft | null> {
    const settled = `${network.listVersion}-${stored ?? 0}`
    const unsettled = `${settled}-r${network.reorgs}`
    const version = isFinal(number, network) ? settled : unsettled
    const known = this.#cells.get(number) ?? (await this.#find(network, number, version))
    const isRight =
      known !== undefined &&
      (known.version === version || known.version === unsettled) &&
      !known.unknown.some((address) => learnt.has(address)) &&
      !this.#store.isStale(known)
    if (!isRight) return new Draft(number, version, null)
    const isInMemory = known.segment === null && known.rows.length > 0
    if (known.readTo < lastBlock(number) || (isInMemory && !isOpen(number, network))) {
      return new Draft(number, version, known)
    }
    const readTo = known.segment === null && isOpen(number, network) ? headOf(network) : known.readTo
    if (known.version !== version || known.readTo !== readTo) this.#cells.set(number, { ...known, version, readTo })
    return null
  }

  /** Returns a cell that another process wrote. */
  async #find(network: ListedNetwork, number: number, version: string): Promise<Cell | undefined> {
    const segment = isOpen(number, network) ? null : await this.#store.find(nameOf(network, number, version))
    if (segment === null) return undefined
    const cell = { number, version, readTo: Number.POSITIVE_INFINITY, segment, rows: [], unknown: [] }
    this.#cells.set(number, cell)
    return cell
  }

  /** Finishes each draft as soon as its rows are read, because all may not fit into memory. */
  async #read(snapshot: ListSnapshot, network: ListedNetwork, drafts: Draft[], signal: AbortSignal): Promise<void> {
    let writing: Promise<void> = Promise.resolve()
    const finishFirst = async () => {
      // One is written while the next is read.
      await writing
      writing = this.#finish(present(drafts.shift()), network)
      writing.catch(() => undefined)
    }
    try {
      const renderer = this.#rendererOf(network)
      for (const { from, to } of rangesToRead(drafts)) {
        for await (const page of snapshot.rows(network, from, to)) {
          signal.throwIfAborted()
          const missing = await renderer.learn(page, snapshot.tokens)
          for (const row of page) {
            while (present(drafts[0]).number < cellOf(row.blockNumber)) await finishFirst()
            present(drafts[0]).add(row, renderer, missing)
          }
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      while (drafts.length > 0) await finishFirst()
    } finally {
      // Else it could end after a later rendering, with older rows.
      await writing
    }
  }

  async #finish({ number, version, rows, unknown }: Draft, network: ListedNetwork): Promise<void> {
    const hasEnded = !isOpen(number, network)
    const name = unknown.size === 0 ? nameOf(network, number, version) : ''
    const isKept = hasEnded && rows.length > 0
    const kept = isKept ? await this.#store.keep(rows, this.#cells.values(), name) : { segment: null, rows }
    const known = this.#cells.get(number)
    if (known !== undefined) this.#store.replace(known)
    for (const address of unknown) this.#unknown.add(address)
    this.#cells.set(number, {
      number,
      version,
      readTo: hasEnded ? Number.POSITIVE_INFINITY : headOf(network),
      ...kept,
      unknown: [...unknown],
    })
  }

  #rendererOf({ network, listVersion: of }: ListedNetwork): RowRenderer {
    if (this.#renderer?.of !== of) this.#renderer = { of, rows: new RowRenderer(network) }
    return this.#renderer.rows
  }
}

function lastBlock(cell: number): number {
  return (cell + 1) * CELL_BLOCKS - 1
}

/** The follower has written all rows up to the head, and none above it. */
function headOf({ head }: ListedNetwork): number {
  return head?.number ?? -1
}

function isFinal(cell: number, { finalNumber }: ListedNetwork): boolean {
  return finalNumber !== null && lastBlock(cell) <= finalNumber
}

/** Returns whether a cell's rows stay in memory, because rows may still be added or replaced. */
function isOpen(cell: number, network: ListedNetwork): boolean {
  const { head } = network
  // After a repair the head is missing until a follower runs again.
  if (head === null) return !isFinal(cell, network)
  if (cell >= cellOf(head.number)) return true
  return !isFinal(cell, network) && cell > cellOf(head.number) - MAX_UNSETTLED
}

/** Names the rows of a cell, for all processes. */
function nameOf({ network }: ListedNetwork, cell: number, version: string): string {
  return `${network}-${cell}-${version}`
}

function rangesToRead(drafts: readonly Draft[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  for (const { number, readFrom } of drafts) {
    const to = lastBlock(number)
    const last = ranges.at(-1)
    if (last !== undefined && last.to + 1 === readFrom) last.to = to
    else if (readFrom <= to) ranges.push({ from: readFrom, to })
  }
  return ranges
}
