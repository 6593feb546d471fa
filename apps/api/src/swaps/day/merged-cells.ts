import { compareRows } from './listed-row.ts'
import type { Cell } from './network-renderer.ts'
import type { RowStore } from './row-store.ts'

/** Puts the cells of all networks in order, and merges those of the same block numbers. */
export class MergedCells {
  readonly #store: RowStore
  readonly #merged = new Map<number, { parts: readonly Cell[]; cell: Cell }>()

  constructor(store: RowStore) {
    this.#store = store
  }

  get cells(): Cell[] {
    return Array.from(this.#merged.values(), ({ cell }) => cell)
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
    const isSame =
      known?.parts.length === parts.length &&
      known.parts.every(({ segment, rows }, at) => segment === parts[at]?.segment && rows === parts[at].rows)
    if (known !== undefined && isSame && !this.#store.isWasteful(known.cell)) return known.cell
    const rows = (await Promise.all(parts.map((part) => this.#store.rowsOf(part)))).flat().sort(compareRows)
    const isWritten = parts.every(({ segment }) => segment !== null)
    const segment = isWritten ? await this.#store.write(rows) : null
    if (known !== undefined) this.#store.replace(known.cell)
    const cell = { ...first, segment, rows: isWritten ? [] : rows }
    this.#merged.set(first.number, { parts, cell })
    return cell
  }
}
