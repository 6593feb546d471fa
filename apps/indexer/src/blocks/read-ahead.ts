import type { ReadRange } from '@dexfeed/chain'
import type { Block, BlockRange } from '@dexfeed/dex'

/** The blocks of a range that came in one response. */
export interface RangePart extends BlockRange {
  blocks: Block[]
}

/** A prepared part that waits for its turn. It no longer holds the node's responses. */
interface Prepared<T> {
  /** The number of its last block, and its count of blocks. */
  to: number
  blocks: number
  prepared: T
}

/** Parallel slices: enough to keep the node busy, few enough to keep memory small. */
const SLICES_AHEAD = 3

/**
 * Yields a range of final blocks, ascending, in prepared parts as the node returns them. `prepare` sends the requests
 * that a part needs, ahead of its use. A slice is about one response long; the node and the chain package limit its
 * bytes.
 */
export async function* readAhead<T>(
  chain: { readRange: ReadRange },
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
  // A slice that waits to be used means that the node is faster than this process. More slices would only fill memory.
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
      // A failure is thrown when its turn comes, which may be never.
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

/** Reads all of a range, in the parts that the node returns. */
export async function readParts(chain: { readRange: ReadRange }, { from, to }: BlockRange): Promise<RangePart[]> {
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
/** After a cut, this many slices keep the size that fit before a larger one is tried. */
const REST = 16

export interface Slice {
  blocks: number
  /** Whether it is larger than the size known to fit into one response. */
  isAttempt: boolean
}

/** Finds the largest slice that comes in one response: the rest of a slice that was cut costs another request. */
export class SliceSize {
  #blocks: number
  #growth = FIRST_GROWTH
  #rest = 0
  #isTrying = false

  /** @param first blocks that came in one response */
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

  /** @param parts the number of blocks in each response of the slice */
  arrived({ blocks, isAttempt }: Slice, parts: readonly number[]): void {
    if (isAttempt) this.#isTrying = false
    const [first = blocks] = parts
    if (parts.length > 1) {
      this.#rest = REST
      this.#growth = GROWTH
      // A failed attempt does not change the size, unless less than that size fit.
      this.#blocks = isAttempt ? Math.min(this.#blocks, first) : first
    } else if (isAttempt) this.#blocks = blocks
  }
}
