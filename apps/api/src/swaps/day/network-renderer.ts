import { type Address, present } from '@dexfeed/dex'
import { CELL_BLOCKS, cellOf, type ListedNetwork, type ListSnapshot } from '@dexfeed/store'
import { type Cell, type CellLog, type CellStore, filesOf, type RowFile } from './cell-store.ts'
import type { ListedRow } from './listed-row.ts'
import { RowRenderer } from './row-renderer.ts'

/** A cell to be read. */
type StaleCell = Pick<Cell, 'number' | 'version' | 'isComplete'>

/** Keeps the cells of a network. Each is right as long as its version is, so a rendering that failed can be continued. */
export class NetworkRenderer {
  readonly #log: CellLog
  /** For cells that will be replaced soon. */
  readonly #heads: CellLog
  readonly #cells = new Map<number, Cell>()
  #rows: { of: string; renderer: RowRenderer } | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(store: CellStore) {
    this.#log = store.log()
    this.#heads = store.log(0)
  }

  get unknown(): ReadonlySet<Address> {
    return new Set([...this.#cells.values()].flatMap(({ unknown }) => unknown))
  }

  get files(): ReadonlySet<RowFile> {
    return filesOf(this.#cells.values())
  }

  close(): void {
    this.#log.end()
    this.#heads.end()
  }

  /** Returns the cells that have rows since `since`, in order. */
  async render(snapshot: ListSnapshot, network: ListedNetwork, since: number, signal: AbortSignal): Promise<Cell[]> {
    const unknown = [...this.unknown]
    const tokens = unknown.length === 0 ? [] : await snapshot.tokens(network.network, unknown)
    const learnt = new Set(tokens.map(({ address }) => address))
    const window = await snapshot.window(network, since)
    const from = window === null ? 0 : cellOf(window.from)
    const to = window === null ? -1 : cellOf(window.to)
    const versions = await snapshot.cellVersions(network, from)
    const stale: StaleCell[] = []
    for (let number = from; number <= to; number++) {
      const { settled, ...cell } = wantedCell(network, number, versions.get(number))
      const known = this.#cells.get(number)
      // Rows that became final are still the same.
      const isRight = known?.version === cell.version || known?.version === settled
      if (known === undefined || !isRight || known.unknown.some((address) => learnt.has(address))) stale.push(cell)
      else if (known.version !== cell.version) this.#cells.set(number, { ...known, ...cell })
    }
    for (const run of runsOf(stale)) await this.#renderRun(snapshot, network, run, signal)
    for (const number of this.#cells.keys()) if (number < from || number > to) this.#cells.delete(number)
    return [...this.#cells.values()].filter(({ rows }) => rows > 0).sort((a, b) => a.number - b.number)
  }

  /** Reads cells that follow each other, and writes each as soon as it is read: all may not fit into memory. */
  async #renderRun(
    snapshot: ListSnapshot,
    network: ListedNetwork,
    run: readonly StaleCell[],
    signal: AbortSignal,
  ): Promise<void> {
    // Of a rendering that failed.
    await this.#writing.catch(() => undefined)
    this.#writing = Promise.resolve()
    const renderer = this.#rendererOf(network)
    let at = 0
    let rows: ListedRow[] = []
    let unknown = new Set<Address>()
    let youngest = Number.NEGATIVE_INFINITY
    const finishCell = async () => {
      await this.#writing
      const cell = present(run[at++])
      const log = cell.isComplete ? this.#log : this.#heads
      const written = log.write({ ...cell, unknown: [...unknown], youngest }, rows)
      this.#writing = written.then((made) => void this.#cells.set(cell.number, made))
      this.#writing.catch(() => undefined)
      rows = []
      unknown = new Set()
      youngest = Number.NEGATIVE_INFINITY
    }
    const to = lastBlock(present(run.at(-1)).number)
    for await (const page of snapshot.rows(network, present(run[0]).number * CELL_BLOCKS, to)) {
      signal.throwIfAborted()
      const missing = await renderer.learn(page, snapshot.tokens)
      for (const row of page) {
        while (lastBlock(present(run[at]).number) < row.blockNumber) await finishCell()
        youngest = Math.max(youngest, row.time)
        for (const token of [row.sellToken, row.buyToken]) if (missing.has(token)) unknown.add(token)
        const rendered = renderer.render(row)
        if (rendered !== null) rows.push(rendered)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    while (at < run.length) await finishCell()
    await this.#writing
  }

  #rendererOf({ network, wrappedNative, listVersion }: ListedNetwork): RowRenderer {
    const of = `${wrappedNative} ${listVersion}`
    if (this.#rows?.of !== of) this.#rows = { of, renderer: new RowRenderer(network, wrappedNative) }
    return this.#rows.renderer
  }
}

/** @param stored a cell without a stored version has not changed since the list's version */
function wantedCell(network: ListedNetwork, number: number, stored = '0'): StaleCell & { settled: string } {
  const { listVersion, reorgs, finalNumber, head } = network
  const final = `${listVersion}-${stored}`
  const settled = `${final}-r${reorgs}`
  const isFinal = finalNumber !== null && lastBlock(number) <= finalNumber
  const isComplete = isFinal || (head !== null && number < cellOf(head.number))
  return {
    number,
    isComplete,
    settled,
    version: isFinal ? final : isComplete ? settled : `${settled}-h${head?.number}`,
  }
}

function lastBlock(cell: number): number {
  return (cell + 1) * CELL_BLOCKS - 1
}

/** Groups cells that follow each other. */
function runsOf(stale: readonly StaleCell[]): StaleCell[][] {
  const runs: StaleCell[][] = []
  for (const cell of stale) {
    const run = runs.at(-1)
    if (run?.at(-1)?.number === cell.number - 1) run.push(cell)
    else runs.push([cell])
  }
  return runs
}
