import { hash } from 'node:crypto'
import { compareRows, type ListedRow } from './listed-row.ts'
import type { Cell } from './network-renderer.ts'
import type { KeptRows, RowStore } from './row-store.ts'

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
    const isWritten = parts.every(({ segment }) => segment !== null)
    // Rows that the disk did not take are tried again.
    const isDone = !isWritten || known?.cell.segment !== null || this.#store.hasFailed
    if (known !== undefined && isSame && isDone && !this.#store.isStale(known.cell)) return known.cell
    const kept = isWritten ? await this.#keep(parts) : { segment: null, rows: await this.#rowsOf(parts) }
    if (known !== undefined) this.#store.replace(known.cell)
    const cell = { ...first, ...kept }
    this.#merged.set(first.number, { parts, cell })
    return cell
  }

  async #keep(parts: readonly Cell[]): Promise<KeptRows> {
    const names = parts.map(({ segment }) => segment?.name ?? '')
    const name = names.includes('') ? '' : hash('sha256', names.join(), 'base64url')
    const segment = name === '' ? null : await this.#store.find(name)
    return segment === null ? this.#store.keep(await this.#rowsOf(parts), this.cells, name) : { segment, rows: [] }
  }

  async #rowsOf(parts: readonly Cell[]): Promise<ListedRow[]> {
    return (await Promise.all(parts.map((part) => this.#store.rowsOf(part)))).flat().sort(compareRows)
  }
}
