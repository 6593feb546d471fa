import type { TickLiquidity } from '../../pool-state.ts'
import { getSqrtRatioAtTick } from './tick-math.ts'

/** Initialised ticks of one concentrated-liquidity pool, ascending, with the prices that were asked for so far. */
export class TickList {
  readonly spacing: number
  // Three columns of one table. A square-root price depends on its tick alone and so survives every change of net.
  #ticks: Int32Array
  #nets: bigint[]
  #ratios: (bigint | undefined)[]
  #boundaryRatios: Map<number, bigint> | null = null
  #greatestLiquidity: bigint | null = null

  /**
   * @param spacing as of `Pool`
   * @param ticks in any order, each tick once; those with gross 0 are not initialised and left out
   */
  constructor(spacing: number, ticks: Iterable<TickLiquidity> = []) {
    if (!Number.isInteger(spacing) || spacing < 0) throw new RangeError(`no tick spacing: ${spacing}`)
    this.spacing = spacing
    const rows = [...ticks].filter((row) => row.gross !== 0n).sort((a, b) => a.tick - b.tick)
    this.#ticks = Int32Array.from(rows, (row) => row.tick)
    this.#nets = rows.map((row) => row.net)
    this.#ratios = new Array(rows.length)
  }

  get size(): number {
    return this.#ticks.length
  }

  /** Sets one tick to its new liquidity; gross 0 takes it out. */
  apply(row: TickLiquidity): void {
    this.#greatestLiquidity = null
    const at = this.firstAbove(row.tick - 1)
    const known = this.#ticks[at] === row.tick
    if (known && row.gross !== 0n) {
      this.#nets[at] = row.net
    } else if (known) {
      this.#ticks = splice(this.#ticks, at, 1)
      this.#nets.splice(at, 1)
      this.#ratios.splice(at, 1)
    } else if (row.gross !== 0n) {
      this.#ticks = splice(this.#ticks, at, 0, row.tick)
      this.#nets.splice(at, 0, row.net)
      this.#ratios.splice(at, 0, undefined)
    }
  }

  /** Index of the lowest initialised tick above `tick`; `size` when there is none. */
  firstAbove(tick: number): number {
    let low = 0
    let high = this.#ticks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#ticks[middle] as number) > tick) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The tick at `index`; undefined beyond both ends. */
  tickAt(index: number): number | undefined {
    return this.#ticks[index]
  }

  netAt(index: number): bigint {
    return this.#nets[index] ?? 0n
  }

  /** The most liquidity that is in range at any price. */
  maxLiquidity(): bigint {
    if (this.#greatestLiquidity === null) {
      let greatest = 0n
      let liquidity = 0n
      for (const net of this.#nets) {
        liquidity += net
        if (liquidity > greatest) greatest = liquidity
      }
      this.#greatestLiquidity = greatest
    }
    return this.#greatestLiquidity
  }

  /** Square-root price (Q64.96) of the tick at `index`. */
  ratioAt(index: number): bigint {
    let ratio = this.#ratios[index]
    if (ratio === undefined) {
      ratio = getSqrtRatioAtTick(this.#ticks[index] as number)
      this.#ratios[index] = ratio
    }
    return ratio
  }

  /** Square-root price (Q64.96) of a word boundary, which need not be initialised. */
  ratioAtBoundary(tick: number): bigint {
    this.#boundaryRatios ??= new Map()
    let ratio = this.#boundaryRatios.get(tick)
    if (ratio === undefined) {
      ratio = getSqrtRatioAtTick(tick)
      this.#boundaryRatios.set(tick, ratio)
    }
    return ratio
  }
}

function splice(ticks: Int32Array, at: number, remove: 0 | 1, ...add: number[]): Int32Array {
  const result = new Int32Array(ticks.length - remove + add.length)
  result.set(ticks.subarray(0, at))
  result.set(add, at)
  result.set(ticks.subarray(at + remove), at + add.length)
  return result
}
