import type { ReadRange } from '@dexfeed/chain'
import type { Block, BlockRange } from '@dexfeed/dex'

export interface RangeSource {
  readRange: ReadRange
}

export interface RangePart extends BlockRange {
  blocks: Block[]
}

interface Prepared<T> {
  to: number
  blocks: number
  prepared: T
}

/** Enough to keep the node busy, few enough to keep memory small. */
const SLICES_AHEAD = 3

/**
 * Reads final blocks ahead of the consumer, and yields what `prepare` returns for each part, ascending. A slice is
 * about as long as one response.
 */
export async function* readAhead<T>(
  chain: RangeSource,
  range: BlockRange,
  prepare: (part: RangePart) => Promise<T>,
): AsyncGenerator<T, void> {
  const readPrepared = async (part: RangePart): Promise<Prepared<T>> => {
    const { from, to } = part
    return { to, blocks: to - from + 1, prepared: await prepare(part) }
  }
  const first = await chain.readRange(range.from, range.to).then(readPrepared)
  yield first.prepared
  const sizes = new SliceSize(first.blocks)
  let next = first.to + 1
  const reading: { size: Slice; parts: Promise<Prepared<T>[]>; isThere: boolean }[] = []
  // Once a slice has arrived, reading on would only fill memory.
  const isFull = () => reading.length >= SLICES_AHEAD || reading.some(({ isThere }) => isThere)
  const readSlice = async (slice: BlockRange) => Promise.all((await readParts(chain, slice)).map(readPrepared))
  const fetchOn = () => {
    while (next <= range.to && !isFull()) {
      const size = sizes.next(range.to - next + 1)
      const to = next + size.blocks - 1
      const slice = { size, parts: readSlice({ from: next, to }), isThere: false }
      const onArrival = () => {
        slice.isThere = true
      }
      // Handle the failure here, too, because the slice may never be awaited.
      slice.parts.then(onArrival, onArrival)
      reading.push(slice)
      next = to + 1
    }
  }
  for (fetchOn(); ; fetchOn()) {
    const slice = reading.shift()
    if (slice === undefined) break
    const parts = await slice.parts
    sizes.arrived(
      slice.size,
      parts.map(({ blocks }) => blocks),
    )
    for (const { prepared } of parts) yield prepared
  }
}

export async function readParts(chain: RangeSource, { from, to }: BlockRange): Promise<RangePart[]> {
  const parts: RangePart[] = []
  for (let next = from; next <= to; ) {
    const part = await chain.readRange(next, to)
    parts.push(part)
    next = part.to + 1
  }
  return parts
}

/** Slices grow fast until the node cuts one. */
const FIRST_GROWTH = 2
const GROWTH = 1.25
/** Number of slices to read at the size that fits before a larger one is tried. */
const SLICES_BEFORE_ATTEMPT = 16

export interface Slice {
  blocks: number
  isAttempt: boolean
}

export class SliceSize {
  #blocks: number
  #growth = FIRST_GROWTH
  #rest = 0
  #isTrying = false

  constructor(first: number) {
    this.#blocks = first
  }

  next(left: number): Slice {
    const isDue = !this.#isTrying && this.#rest-- <= 0
    const blocks = Math.min(left, isDue ? Math.ceil(this.#blocks * this.#growth) : this.#blocks)
    const isAttempt = blocks > this.#blocks
    if (isAttempt) this.#isTrying = true
    return { blocks, isAttempt }
  }

  arrived({ blocks, isAttempt }: Slice, parts: readonly number[]): void {
    if (isAttempt) this.#isTrying = false
    const [first = blocks] = parts
    if (parts.length > 1) {
      this.#rest = SLICES_BEFORE_ATTEMPT
      this.#growth = GROWTH
      this.#blocks = isAttempt ? Math.min(this.#blocks, first) : first
    } else if (isAttempt) this.#blocks = blocks
  }
}
