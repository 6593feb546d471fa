import type { BlockRange, PoolAddress } from '@dexfeed/dex'

/** Unverified emitters whose blocks are remembered. */
const MOST_EMITTERS = 50_000
/** Blocks that are nearer to each other are read again together. */
const GAP = 50
/** An emitter with more ranges than this is remembered by the blocks between its first and its last. */
const MOST_RANGES = 64

/** In which blocks events of emitters were passed over, because no contract knew them. */
export class PassedOver {
  readonly #ranges = new Map<PoolAddress, BlockRange[]>()

  note(emitter: PoolAddress, block: number): void {
    const ranges = this.#ranges.get(emitter) ?? []
    this.#ranges.set(emitter, ranges)
    const near = ranges.find(({ from, to }) => block >= from - GAP && block <= to + GAP)
    if (near !== undefined) {
      near.from = Math.min(near.from, block)
      near.to = Math.max(near.to, block)
      return
    }
    ranges.push({ from: block, to: block })
    if (ranges.length > MOST_RANGES) ranges.splice(0, ranges.length, hullOf(ranges))
    const oldest = this.#ranges.keys().next()
    if (this.#ranges.size > MOST_EMITTERS && !oldest.done) this.#ranges.delete(oldest.value)
  }

  /** The blocks of an emitter, which is forgotten. */
  take(emitter: PoolAddress): BlockRange[] {
    const ranges = this.#ranges.get(emitter) ?? []
    this.#ranges.delete(emitter)
    return ranges
  }
}

function hullOf(ranges: readonly BlockRange[]): BlockRange {
  return { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) }
}
