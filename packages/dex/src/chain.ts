import { Groups } from './totals.ts'

/** In lower case. */
export type Hex = `0x${string}`

/** A 20-byte address in lower-case hex. Checksummed addresses exist only in input and output. */
export type Address = Hex

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000'

/** Most contracts use this address for the native coin. */
export const NATIVE_PLACEHOLDER: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Copies a slice, which would otherwise keep the whole original string in memory. */
export function copyOf<T extends string>(slice: T): T {
  return [slice.slice(0, 2), slice.slice(2)].join('') as T
}

export interface Log {
  address: Address
  topics: readonly Hex[]
  data: Hex
  transactionIndex: number
  logIndex: number
}

export interface Transaction {
  hash: Hex
  /** Null if the chain reports a log without its transaction (Polygon's state sync). */
  from: Address | null
  /** Coins that it sent, in wei. */
  value: bigint
}

/** Names a block, also among branches. */
export interface BlockId {
  number: number
  hash: Hex
}

export interface BlockHeader extends BlockId {
  parentHash: Hex
  /** Seconds since 1970 (UTC). */
  timestamp: number
  /** The receipts log every coin transfer (EIP-7708), as the fork's header fields show. */
  logsEther?: true
}

export interface Block extends BlockHeader {
  logs: readonly Log[]
  /** By transaction index; contains only transactions with a log in `logs`. */
  transactions: ReadonlyMap<number, Transaction>
  /** Whether the block's hash commits to exactly these logs. If unset, the node reported them without proof. */
  isProven?: boolean
  receipts?: Receipts
}

/** Receipts that are parsed on request. `logsOf` returns null if a transaction's receipt was not read. */
export interface Receipts {
  logsOf(transactionIndex: number): readonly Log[] | null
  /** In order; absent if only some receipts were read. */
  transactions?(): readonly Transaction[]
}

export function logsByTransaction(logs: readonly Log[]): Map<number, Log[]> {
  const byTransaction = new Groups<number, Log>()
  for (const log of logs) byTransaction.add(log.transactionIndex, log)
  return byTransaction
}

/**
 * Returns the last final block: the lower of `tagged` (null if the node reports none) and the block `finalityDepth`
 * below the head.
 */
export function finalBelow(head: number, tagged: number | null, finalityDepth: number): number {
  return Math.max(0, Math.min(tagged ?? head, head - finalityDepth))
}

/** Blocks from `from` to `to`, both inclusive. */
export interface BlockRange {
  from: number
  to: number
}

/** A block with its time in seconds. */
export interface BlockPoint {
  number: number
  timestamp: number
}

/** Blocks whose rows are stored, with the times of the first and the last block in seconds. */
export interface CoveredRange extends BlockRange {
  fromTime: number
  toTime: number
}

/**
 * Returns the parts of a range that are not covered, in ascending order. `covered` is ascending and does not overlap.
 */
export function missingRanges(range: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const missing: BlockRange[] = []
  let next = range.from
  for (const { from, to } of covered) {
    if (to < next) continue
    if (from > range.to) break
    if (from > next) missing.push({ from: next, to: from - 1 })
    next = to + 1
  }
  if (next <= range.to) missing.push({ from: next, to: range.to })
  return missing
}

/** Removes `others` (in any order) from `ranges` (ascending, not overlapping). */
export function withoutRanges(ranges: readonly BlockRange[], others: readonly BlockRange[]): BlockRange[] {
  const ascending = [...others].sort((a, b) => a.from - b.from)
  return ranges.flatMap((range) => missingRanges(range, ascending))
}

export function sharedRanges(ranges: readonly BlockRange[], { from, to }: BlockRange): BlockRange[] {
  return ranges
    .map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) }))
    .filter((range) => range.from <= range.to)
}

export function countBlocks(ranges: readonly BlockRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
}

/**
 * Version of the rules that produce rows. Covered ranges store it; 0 means that they were stored before it existed.
 * Raise it in each release in which a stored block can get different rows. The indexer then derives older rows again
 * (docs/internals/repair.md).
 */
export const ROW_RULES = 1
