import { type Cell, type CellLog, type CellStore, filesOf, type RowFile } from './cell-store.ts'
import { compareRows } from './listed-row.ts'

/** Puts the cells of all networks in order, and merges those of the same block numbers. */
export class MergedCells {
  readonly #store: CellStore
  readonly #log: CellLog
  readonly #heads: CellLog
  readonly #merged = new Map<number, { parts: readonly Cell[]; cell: Cell }>()

  constructor(store: CellStore) {
    this.#store = store
    this.#log = store.log()
    this.#heads = store.log(0)
  }

  get files(): ReadonlySet<RowFile> {
    return filesOf(Array.from(this.#merged.values(), ({ cell }) => cell))
  }

  async merge(days: Iterable<readonly Cell[]>): Promise<Cell[]> {
    const all = [...days].flat().sort((a, b) => a.number - b.number)
    const cells = new Map<number, Cell>()
    for (let from = 0, to = 0; from < all.length; from = to) {
      while (all[to]?.number === all[from]?.number) to++
      const cell = await this.#cellOf(all.slice(from, to))
      cells.set(cell.number, cell)
    }
    for (const [number, { cell }] of this.#merged) if (cells.get(number) !== cell) this.#merged.delete(number)
    return [...cells.values()]
  }

  async #cellOf(parts: readonly Cell[]): Promise<Cell> {
    const [first] = parts as [Cell]
    if (parts.length === 1) return first
    const known = this.#merged.get(first.number)
    const isSame = known?.parts.length === parts.length && known.parts.every(({ text }, at) => text === parts[at]?.text)
    if (known !== undefined && isSame) return known.cell
    const rows = (await Promise.all(parts.map((part) => this.#store.rows(part)))).flat().sort(compareRows)
    const isComplete = parts.every((part) => part.isComplete)
    const youngest = Math.max(...parts.map((part) => part.youngest))
    const cell = await (isComplete ? this.#log : this.#heads).write({ ...first, youngest, isComplete }, rows)
    this.#merged.set(first.number, { parts, cell })
    return cell
  }
}
