import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import type { TickLiquidity } from '../../pool-state.ts'

export class TickList {
  readonly spacing: number
  readonly #table: TickTable
  /** Start and capacity of its block in the table. */
  #start = 0
  #room = 0
  #size = 0
  #maxLiquidity: bigint | null = null

  /**
   * @param ticks each once, in any order; those with gross 0 are ignored
   * @param table may be shared by several pools
   */
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
    this.#start = this.#table.take(this.#room)
    this.#size = rows.length
    rows.forEach(({ tick, net }, index) => {
      this.#table.set(this.#start + index, tick, net)
    })
  }

  clear(): void {
    this.#table.giveBack(this.#start, this.#room)
    this.#start = this.#room = this.#size = 0
    this.#maxLiquidity = null
  }

  apply(row: TickLiquidity): void {
    this.#maxLiquidity = null
    const index = this.firstAbove(row.tick - 1)
    const isKnown = this.tickAt(index) === row.tick
    if (isKnown && row.gross !== 0n) this.#table.set(this.#start + index, row.tick, row.net)
    else if (isKnown) this.#remove(index)
    else if (row.gross !== 0n) this.#insert(index, row)
  }

  /** Returns the index of the lowest tick above `tick`, or `size`. */
  firstAbove(tick: number): number {
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#table.tick(this.#start + middle) > tick) high = middle
      else low = middle + 1
    }
    return low
  }

  tickAt(index: number): number | undefined {
    return index >= 0 && index < this.#size ? this.#table.tick(this.#start + index) : undefined
  }

  netAt(index: number): bigint {
    return index >= 0 && index < this.#size ? this.#table.net(this.#start + index) : 0n
  }

  maxLiquidity(): bigint {
    if (this.#maxLiquidity === null) {
      let max = 0n
      let liquidity = 0n
      for (let index = 0; index < this.#size; index++) {
        liquidity += this.#table.net(this.#start + index)
        if (liquidity > max) max = liquidity
      }
      this.#maxLiquidity = max
    }
    return this.#maxLiquidity
  }

  ratioOf(tick: number): bigint {
    return this.#table.ratioOf(tick)
  }

  #insert(index: number, { tick, net }: TickLiquidity): void {
    if (this.#size === this.#room) {
      const start = this.#start
      const room = this.#room
      this.#room = TickTable.roomFor(this.#size + 1)
      this.#start = this.#table.take(this.#room)
      this.#table.move(this.#start, start, this.#size)
      this.#table.giveBack(start, room)
    }
    const place = this.#start + index
    this.#table.move(place + 1, place, this.#size - index)
    this.#table.set(place, tick, net)
    this.#size++
  }

  #remove(index: number): void {
    const place = this.#start + index
    this.#table.move(place, place + 1, this.#size - index - 1)
    this.#size--
  }
}

const MIN_ROOM = 4
const INITIAL_SIZE = 16
/** About 100 bytes each. */
const MAX_RATIOS = 65_536

/**
 * Stores the ticks of many pools in columns, because a market has millions of ticks, most of which no quote reads. A
 * pool's ticks are adjacent, in a block with a capacity of 4, 8, 16 ... ticks. Released blocks are reused.
 */
export class TickTable {
  #ticks = new Int32Array(INITIAL_SIZE)
  /** Net liquidity, an int128, in two halves. */
  #low = new BigUint64Array(INITIAL_SIZE)
  #high = new BigInt64Array(INITIAL_SIZE)
  #end = 0
  readonly #free = new Map<number, number[]>()
  readonly #ratios = new Map<number, bigint>()

  static roomFor(ticks: number): number {
    if (ticks === 0) return 0
    let room = MIN_ROOM
    while (room < ticks) room *= 2
    return room
  }

  /** @param room a result of `roomFor` */
  take(room: number): number {
    if (room === 0) return 0
    const free = this.#free.get(room)?.pop()
    if (free !== undefined) return free
    const start = this.#end
    this.#end += room
    if (this.#end > this.#ticks.length) this.#grow()
    return start
  }

  giveBack(start: number, room: number): void {
    if (room === 0) return
    const free = this.#free.get(room)
    if (free === undefined) this.#free.set(room, [start])
    else free.push(start)
  }

  tick(row: number): number {
    return this.#ticks[row] as number
  }

  net(row: number): bigint {
    return ((this.#high[row] as bigint) << 64n) | (this.#low[row] as bigint)
  }

  set(row: number, tick: number, net: bigint): void {
    this.#ticks[row] = tick
    this.#low[row] = net
    this.#high[row] = net >> 64n
  }

  /**
   * Returns `getSqrtRatioAtTick` from a cache for all pools: pools with the same spacing have the same word boundaries.
   */
  ratioOf(tick: number): bigint {
    let ratio = this.#ratios.get(tick)
    if (ratio === undefined) {
      ratio = getSqrtRatioAtTick(tick)
      if (this.#ratios.size >= MAX_RATIOS) this.#ratios.clear()
      this.#ratios.set(tick, ratio)
    }
    return ratio
  }

  /** The source and the destination may overlap. */
  move(to: number, from: number, rows: number): void {
    for (const column of [this.#ticks, this.#low, this.#high]) column.copyWithin(to, from, from + rows)
  }

  #grow(): void {
    const size = Math.max(2 * this.#ticks.length, this.#end)
    const ticks = this.#ticks
    const low = this.#low
    const high = this.#high
    this.#ticks = new Int32Array(size)
    this.#low = new BigUint64Array(size)
    this.#high = new BigInt64Array(size)
    this.#ticks.set(ticks)
    this.#low.set(low)
    this.#high.set(high)
  }
}
