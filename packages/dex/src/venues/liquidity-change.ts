import { topicOf } from '../abi/fragment.ts'
import { uintWord, WORD } from '../abi/words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'

/** Liquidity that entered or left a pool, read from one log. */
export interface LiquidityChange {
  /** The contract that emitted the log, followed by the id of a pool inside it if the log contains one. */
  of: Hex
  /** The bin; null if the pool has no bins. */
  bin: bigint | null
  isAdded: boolean
  /** In shares; null if the log contains other amounts. */
  shares: bigint | null
}

/** Reads the changes in a log of one kind; empty for a log of another shape. */
export type LiquidityReader = (log: Log) => LiquidityChange[]

const WORD_BYTES = 32n

/** Reads an event that shows only that liquidity was added, or removed. */
export function change(isAdded: boolean, of: (log: Log) => Hex = ({ address }) => address): LiquidityReader {
  return (log) => [{ of: of(log), bin: null, isAdded, shares: null }]
}

/** Returns readers of a pair of events that show only that liquidity was added and removed, by topic. */
export function addedAndRemoved(
  added: string,
  removed: string,
  of?: (log: Log) => Hex,
): readonly (readonly [Hex, LiquidityReader])[] {
  return [
    [topicOf(added), change(true, of)],
    [topicOf(removed), change(false, of)],
  ]
}

/** As `addedAndRemoved`, for events whose first list holds the bins. */
export function binsAddedAndRemoved(
  added: string,
  removed: string,
  of: (log: Log) => Hex,
): readonly (readonly [Hex, LiquidityReader])[] {
  const reader = (isAdded: boolean) => (log: Log) =>
    (wordsAt(log.data, 0) ?? []).map((bin) => ({ of: of(log), bin, isAdded, shares: null }))
  return [
    [topicOf(added), reader(true)],
    [topicOf(removed), reader(false)],
  ]
}

/** Returns the pool inside the emitter whose id is the event's first indexed field. */
export function inManager({ address, topics }: Log): Hex {
  return `${address}${topics[1]?.slice(2) ?? ''}`
}

/** Returns the words of a list whose offset is in the given word; null if the data does not have this shape. */
export function wordsAt(data: Hex, pointer: number): bigint[] | null {
  return placesAt(data, pointer)?.map((place) => uintWord(data, place)) ?? null
}

/** Returns the positions of the words of such a list. */
export function placesAt(data: Hex, pointer: number): number[] | null {
  const words = BigInt(Math.floor((data.length - 2) / WORD))
  if (words <= pointer) return null
  const offset = uintWord(data, pointer)
  if (offset % WORD_BYTES !== 0n || offset / WORD_BYTES >= words) return null
  const first = Number(offset / WORD_BYTES)
  const count = uintWord(data, first)
  if (count > words - BigInt(first) - 1n) return null
  return Array.from({ length: Number(count) }, (_, at) => first + 1 + at)
}
