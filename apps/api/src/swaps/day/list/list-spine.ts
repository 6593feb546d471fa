import { countRows, type RenderedBlock, sumsOf } from '../rendered-block.ts'
import type { Segment } from '../segment-store.ts'
import { type CellOfNetwork, cellsOf, type ListState, type Selection, segmentOf, selectedDays } from './list-state.ts'

/** The rows of one cell of a list. */
interface SpineCell {
  number: number
  cells: readonly CellOfNetwork[]
  /** The file that has just them; null: there is none. */
  segment: Segment | null
}

/** Numbers of a row's part of a list, which add up: rows, unpriced, flagged, bytes, and the digest in pieces. */
export type ListSums = Float64Array

const COUNTS = 4
/** A digest of 18 bytes is so many numbers, each so long that a list's worth of them adds up exactly. */
const DIGEST_PIECES = 6
const PIECE_BYTES = 3

/**
 * All rows of a state, cell by cell in the order of the list, and the sums of those that are in files: worked out once,
 * so that a list takes no more than what its window's begin cuts.
 */
export interface ListSpine {
  readonly cells: readonly SpineCell[]
  /** Block times of the files, in seconds; of what is in none, the whole of time. */
  readonly oldest: Float64Array
  readonly youngest: Float64Array
  readonly sums: ListSums
}

type Spines = Map<Selection['network'], ListSpine>

/** By what states of one rendering share: of these, the networks alone may be newer. */
const known = new WeakMap<ListState['merged'], Spines>()

/** Worked out once a rendering. */
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

/** @param times -1: takes them off */
export function addSums(to: ListSums, sums: ListSums, times: 1 | -1 = 1): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + times * (sums[at] ?? 0)
}

const sumsOfParts = new WeakMap<Segment | RenderedBlock, ListSums>()

/** Worked out once a part. */
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
