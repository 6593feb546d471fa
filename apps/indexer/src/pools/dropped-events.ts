import type { BlockRange, PoolAddress } from '@dexfeed/dex'

const MAX_EMITTERS = 50_000
const GAP = 50
/** Beyond this number, an emitter's ranges are merged into one that spans them all. */
const MAX_RANGES = 64

export interface DroppedEmitter extends BlockRange {
  emitter: PoolAddress
}

/** Remembers, per unverified emitter, the blocks whose events were dropped. */
export class DroppedEvents {
  readonly #ranges = new Map<PoolAddress, BlockRange[]>()
  #postponed: readonly BlockRange[] = []

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

  all(): DroppedEmitter[] {
    return [...this.#ranges].flatMap(([emitter, ranges]) => ranges.map((range) => ({ emitter, ...range })))
  }

  hulls(): DroppedEmitter[] {
    return [...this.#ranges].map(([emitter, ranges]) => ({ emitter, ...hullOf(ranges) }))
  }

  /**
   * Returns and forgets the ranges of emitters for which `isTaken` holds, and all postponed ranges, each block once.
   */
  take(isTaken: (emitter: PoolAddress) => boolean): BlockRange[] {
    const taken = [...this.#postponed]
    this.#postponed = []
    // Do not copy: there may be many emitters.
    for (const [emitter, ranges] of this.#ranges) {
      if (!isTaken(emitter)) continue
      taken.push(...ranges)
      this.#ranges.delete(emitter)
    }
    return joined(taken)
  }

  postpone(ranges: readonly BlockRange[]): void {
    this.#postponed = [...this.#postponed, ...ranges]
  }
}

function hullOf(ranges: readonly BlockRange[]): BlockRange {
  return { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) }
}

function joined(ranges: readonly BlockRange[]): BlockRange[] {
  const found: BlockRange[] = []
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else found.push({ from, to })
  }
  return found
}
