import type { TickLiquidity } from '../../pool-state.ts'
import { TickTable } from './tick-table.ts'

/** Initialised ticks of one concentrated-liquidity pool, ascending. */
export class TickList {
  readonly spacing: number
  readonly #table: TickTable
  /** Start of the block in the table. */
  #at = 0
  #room = 0
  #size = 0
  #greatestLiquidity: bigint | null = null

  /** @param ticks in any order, each tick once; ticks with gross 0 are left out. `table` may be shared by pools. */
  constructor(spacing: number, ticks: Iterable<TickLiquidity> = [], table: TickTable = new TickTable()) {
    if (!Number.isInteger(spacing) || spacing < 0) throw new RangeError(`no tick spacing: ${spacing}`)
    this.spacing = spacing
    this.#table = table
    this.replace(ticks)
  }

  get size(): number {
    return this.#size
  }

  replace(ticks: Iterable<TickLiquidity>): void {
    const rows = [...ticks].filter((row) => row.gross !== 0n).sort((a, b) => a.tick - b.tick)
    this.clear()
    this.#room = TickTable.roomFor(rows.length)
    this.#at = this.#table.take(this.#room)
    this.#size = rows.length
    rows.forEach(({ tick, net }, index) => {
      this.#table.set(this.#at + index, tick, net)
    })
  }

  /** Removes all ticks and releases their block. */
  clear(): void {
    this.#table.giveBack(this.#at, this.#room)
    this.#at = this.#room = this.#size = 0
    this.#greatestLiquidity = null
  }

  /** Sets one tick to its new liquidity; gross 0 removes it. */
  apply(row: TickLiquidity): void {
    this.#greatestLiquidity = null
    const index = this.firstAbove(row.tick - 1)
    const known = this.tickAt(index) === row.tick
    if (known && row.gross !== 0n) {
      this.#table.setNet(this.#at + index, row.net)
    } else if (known) {
      this.#remove(index)
    } else if (row.gross !== 0n) {
      this.#insert(index, row)
    }
  }

  /** Returns the index of the lowest initialised tick above `tick`, or `size`. */
  firstAbove(tick: number): number {
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#table.tick(this.#at + middle) > tick) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Returns the tick at `index`; undefined beyond both ends. */
  tickAt(index: number): number | undefined {
    return index >= 0 && index < this.#size ? this.#table.tick(this.#at + index) : undefined
  }

  netAt(index: number): bigint {
    return index >= 0 && index < this.#size ? this.#table.net(this.#at + index) : 0n
  }

  /** Returns the largest liquidity in range at any price. */
  maxLiquidity(): bigint {
    if (this.#greatestLiquidity === null) {
      let greatest = 0n
      let liquidity = 0n
      for (let index = 0; index < this.#size; index++) {
        liquidity += this.#table.net(this.#at + index)
        if (liquidity > greatest) greatest = liquidity
      }
      this.#greatestLiquidity = greatest
    }
    return this.#greatestLiquidity
  }

  /** Returns the square-root price (Q64.96) of the tick at `index`. */
  ratioAt(index: number): bigint {
    return this.ratioAtBoundary(this.#table.tick(this.#at + index))
  }

  /** Returns the square-root price (Q64.96) of a word boundary, which may be uninitialised. */
  ratioAtBoundary(tick: number): bigint {
    return this.#table.ratioAt(tick)
  }

  #insert(index: number, { tick, net }: TickLiquidity): void {
    if (this.#size === this.#room) {
      const at = this.#at
      const room = this.#room
      this.#room = TickTable.roomFor(this.#size + 1)
      this.#at = this.#table.take(this.#room)
      this.#table.move(this.#at, at, this.#size)
      this.#table.giveBack(at, room)
    }
    const place = this.#at + index
    this.#table.move(place + 1, place, this.#size - index)
    this.#table.set(place, tick, net)
    this.#size++
  }

  #remove(index: number): void {
    const place = this.#at + index
    this.#table.move(place, place + 1, this.#size - index - 1)
    this.#size--
  }
}
