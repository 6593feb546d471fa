import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'

const LEAST_ROOM = 4
const INITIAL_SIZE = 16
/** Limit of cached square-root prices, about 100 bytes each. */
const MOST_RATIOS = 65_536

/**
 * Ticks of many pools in columns, because a market has millions of ticks, most of which no quote reads. A pool's ticks
 * are adjacent in a block with room for 4, 8, 16 ... of them. Released blocks are reused.
 */
export class TickTable {
  #ticks = new Int32Array(INITIAL_SIZE)
  /** The net liquidity, an int128, in two halves. */
  #low = new BigUint64Array(INITIAL_SIZE)
  #high = new BigInt64Array(INITIAL_SIZE)
  #end = 0
  /** By room: the starts of unused blocks. */
  readonly #free = new Map<number, number[]>()
  readonly #ratios = new Map<number, bigint>()

  /** Returns the room of a block for this number of ticks; 0 for no ticks. */
  static roomFor(ticks: number): number {
    if (ticks === 0) return 0
    let room = LEAST_ROOM
    while (room < ticks) room *= 2
    return room
  }

  /** Allocates a block and returns its start. @param room from `roomFor` */
  take(room: number): number {
    if (room === 0) return 0
    const free = this.#free.get(room)?.pop()
    if (free !== undefined) return free
    const at = this.#end
    this.#end += room
    if (this.#end > this.#ticks.length) this.#grow()
    return at
  }

  giveBack(at: number, room: number): void {
    if (room === 0) return
    const free = this.#free.get(room)
    if (free === undefined) this.#free.set(room, [at])
    else free.push(at)
  }

  tick(at: number): number {
    return this.#ticks[at] as number
  }

  net(at: number): bigint {
    return ((this.#high[at] as bigint) << 64n) | (this.#low[at] as bigint)
  }

  set(at: number, tick: number, net: bigint): void {
    this.#ticks[at] = tick
    this.setNet(at, net)
  }

  setNet(at: number, net: bigint): void {
    this.#low[at] = net
    this.#high[at] = net >> 64n
  }

  /** Returns `getSqrtRatioAtTick`, cached for all pools: pools of one spacing have the same word boundaries. */
  ratioAt(tick: number): bigint {
    let ratio = this.#ratios.get(tick)
    if (ratio === undefined) {
      ratio = getSqrtRatioAtTick(tick)
      if (this.#ratios.size >= MOST_RATIOS) this.#ratios.clear()
      this.#ratios.set(tick, ratio)
    }
    return ratio
  }

  /** Copies rows to another place; the two may overlap. */
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
