import { present } from '@dexfeed/dex'
import { countRows, type RenderedBlock, sumsOf } from '../rendered-block.ts'
import type { Segment } from '../segment-store.ts'
import { type CellOfNetwork, cellsOf, type ListState, type Selection, segmentOf, selectedDays } from './list-state.ts'

/** The rows of one cell of a list. */
interface SpineCell {
  number: number
  cells: readonly CellOfNetwork[]
  /** The file with exactly these rows; null if no file has them. */
  segment: Segment | null
}

/** Numbers of a part of a list, which add up: rows, unpriced, flagged, bytes, and the digest in pieces. */
export type ListSums = Float64Array

const COUNTS = 4
/**
 * A digest of 18 bytes is split into this many numbers. Each is small enough that the sum over a whole list stays
 * exact.
 */
const DIGEST_PIECES = 6
const PIECE_BYTES = 3

/**
 * All rows of a state, cell by cell in list order, and the sums of those in files. Computed once, so that a new list
 * costs only the cells that its window cuts.
 */
export interface ListSpine {
  readonly cells: readonly SpineCell[]
  /** Block times of the files, in seconds. A cell without a file spans all time. */
  readonly oldest: Float64Array
  readonly youngest: Float64Array
  readonly sums: ListSums
}

type Spines = Map<Selection['network'], ListSpine>

/** Spines by what all states of one rendering share: among these, only the networks may be newer. */
const known = new WeakMap<ListState['merged'], Spines>()

/** Returns the spine of a state, computed once per rendering. */
export function spineOf(state: ListState, network?: Selection['network']): ListSpine {
  const spines: Spines = known.get(state.merged) ?? new Map()
  known.set(state.merged, spines)
  const spine = spines.get(network) ?? makeSpine(state, network)
  spines.set(network, spine)
  return spine
}

function makeSpine(state: ListState, network: Selection['network']): ListSpine {
  const days = selectedDays(state, network === undefined ? {} : { network })
  const cells: SpineCell[] = []
  for (const [number, own] of cellsOf(days, { since: Number.NEGATIVE_INFINITY })) {
    cells.push({ number, cells: own, segment: segmentOf(state, number, own) })
  }
  const oldest = Float64Array.from(cells, ({ segment }) => segment?.oldest ?? Number.NEGATIVE_INFINITY)
  const youngest = Float64Array.from(cells, ({ segment }) => segment?.youngest ?? Number.POSITIVE_INFINITY)
  const sums = noSums()
  for (const { segment } of cells) if (segment !== null) addSums(sums, sumsOfPart(segment))
  return { cells, oldest, youngest, sums }
}

export function noSums(): ListSums {
  return new Float64Array(COUNTS + DIGEST_PIECES)
}

/** @param times -1 subtracts */
export function addSums(to: ListSums, sums: ListSums, times: 1 | -1 = 1): void {
  for (let at = 0; at < to.length; at++) to[at] = present(to[at]) + times * present(sums[at])
}

const sumsOfParts = new WeakMap<Segment | RenderedBlock, ListSums>()

/** Returns the sums of a part, computed once per part. */
export function sumsOfPart(part: Segment | RenderedBlock): ListSums {
  const found = sumsOfParts.get(part)
  if (found !== undefined) return found
  const { rows, unpriced, flagged } = 'marks' in part ? countRows([part]) : part
  const [length, digest] = 'marks' in part ? [part.bytes.length, sumsOf(part).digest] : [part.length, part.digest]
  const bytes = Buffer.from(digest, 'base64url')
  const sums = Float64Array.of(rows, unpriced, flagged, length, ...new Array<number>(DIGEST_PIECES).fill(0))
  for (let at = 0; at < DIGEST_PIECES; at++) sums[COUNTS + at] = bytes.readUIntBE(PIECE_BYTES * at, PIECE_BYTES)
  sumsOfParts.set(part, sums)
  return sums
}
