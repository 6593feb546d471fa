import type { Chain } from '@dexfeed/chain'
import type { Block, BlockRange } from '@dexfeed/dex'

/** What one answer of the node brought of a range. */
export interface RangePart extends BlockRange {
  blocks: Block[]
}

/** A part waits for its turn as what it was prepared to: the answers behind it are let go of. */
interface Prepared<T> {
  /** Its last block, and how many it has. */
  to: number
  blocks: number
  prepared: T
}

/** Slices that are fetched at a time: enough to keep the node busy while we work, few enough to stay small in memory. */
const SLICES_AHEAD = 3

/**
 * A range of final blocks, ascending, part by part as the node gives it. While a part is being used the next ones are
 * fetched: slices of about what one answer holds, which the node and the chain package bound in bytes.
 *
 * @param prepare what must be asked about a part before it can be used; the next ones are prepared meanwhile
 * @returns what became of the parts
 */
export async function* readAhead<T>(
  chain: Pick<Chain, 'readRange'>,
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
  // One that waits to be used means that the node is faster than we are: more of them would only fill memory.
  const isFull = () => reading.length >= SLICES_AHEAD || reading.some(({ isThere }) => isThere)
  const readSlice = async (slice: BlockRange) => Promise.all((await readParts(chain, slice)).map(readPrepared))
  const fetchOn = () => {
    while (next <= range.to && !isFull()) {
      const size = sizes.next(range.to - next + 1)
      const to = next + size.blocks - 1
      const slice = { size, parts: readSlice({ from: next, to }), isThere: false }
      const arrived = () => {
        slice.isThere = true
      }
      // Its failure shows when its turn comes, which may be never.
      slice.parts.then(arrived, arrived)
      reading.push(slice)
      next = to + 1
    }
  }
  for (fetchOn(); ; fetchOn()) {
    const slice = reading.shift()
    if (slice === undefined) break
    const parts = await slice.parts
    sizes.came(
      slice.size,
      parts.map(({ blocks }) => blocks),
    )
    for (const { prepared } of parts) yield prepared
  }
}

/** All of a range, in the parts that the node gives. */
export async function readParts(chain: Pick<Chain, 'readRange'>, { from, to }: BlockRange): Promise<RangePart[]> {
  const parts: RangePart[] = []
  for (let next = from; next <= to; ) {
    const part = await chain.readRange(next, to)
    parts.push(part)
    next = part.to + 1
  }
  return parts
}

/** Until the node has cut one, slices grow fast. */
const FIRST_GROWTH = 2
const GROWTH = 1.25
/** After a slice that was cut so many are as large as what came of it before a larger one is tried. */
const REST = 16

export interface Slice {
  blocks: number
  /** Whether it is larger than what is known to come as one answer. */
  isAttempt: boolean
}

/**
 * How many blocks to ask for so that they come as one answer, found out by asking for somewhat more, one slice at a time:
 * of a slice that is cut the rest is a question of its own.
 */
export class SliceSize {
  #blocks: number
  #growth = FIRST_GROWTH
  #rest = 0
  #isTrying = false

  /** @param first what came as one answer */
  constructor(first: number) {
    this.#blocks = first
  }

  /** The next slice, of the blocks that are left. */
  next(left: number): Slice {
    const isDue = !this.#isTrying && this.#rest-- <= 0
    const blocks = Math.min(left, isDue ? Math.ceil(this.#blocks * this.#growth) : this.#blocks)
    const isAttempt = blocks > this.#blocks
    if (isAttempt) this.#isTrying = true
    return { blocks, isAttempt }
  }

  /** @param answers the blocks of each answer that a slice came in */
  came({ blocks, isAttempt }: Slice, answers: readonly number[]): void {
    if (isAttempt) this.#isTrying = false
    const [first = blocks] = answers
    if (answers.length > 1) {
      this.#rest = REST
      this.#growth = GROWTH
      // An attempt says nothing about the size that it goes beyond, unless less came of it.
      this.#blocks = isAttempt ? Math.min(this.#blocks, first) : first
    } else if (isAttempt) this.#blocks = blocks
  }
}
