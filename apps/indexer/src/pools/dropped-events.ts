import type { BlockRange, PoolAddress } from '@dexfeed/dex'

const MAX_EMITTERS = 50_000
/** Blocks closer than this form one range. */
const GAP = 50
/** An emitter with more ranges is remembered as one range from its first to its last block. */
const MAX_RANGES = 64

/** An emitter that was not verified, and the first and last block of its dropped events. */
export interface DroppedEmitter extends BlockRange {
  emitter: PoolAddress
}

/** Remembers, per unverified emitter, the blocks whose events were dropped. */
export class DroppedEvents {
  readonly #ranges = new Map<PoolAddress, BlockRange[]>()

  note({ emitter, from, to }: DroppedEmitter): void {
    const ranges = this.#ranges.get(emitter) ?? []
    this.#ranges.set(emitter, ranges)
    const near = ranges.find((range) => to >= range.from - GAP && from <= range.to + GAP)
    if (near !== undefined) {
      near.from = Math.min(near.from, from)
      near.to = Math.max(near.to, to)
      return
    }
    ranges.push({ from, to })
    if (ranges.length > MAX_RANGES) ranges.splice(0, ranges.length, hullOf(ranges))
    const oldest = this.#ranges.keys().next()
    if (this.#ranges.size > MAX_EMITTERS && !oldest.done) this.#ranges.delete(oldest.value)
  }

  emitters(): PoolAddress[] {
    return [...this.#ranges.keys()]
  }

  /** Returns the blocks of these emitters and forgets them. */
  take(isTaken: (emitter: PoolAddress) => boolean): BlockRange[] {
    const taken = [...this.#ranges].filter(([emitter]) => isTaken(emitter))
    for (const [emitter] of taken) this.#ranges.delete(emitter)
    return taken.flatMap(([, ranges]) => ranges)
  }
}

function hullOf(ranges: readonly BlockRange[]): BlockRange {
  return { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) }
}
