import { topicOf } from '../abi/contract-abi.ts'
import { uintWord, WORD } from '../abi/words.ts'
import type { Hex, Log } from '../chain.ts'

export interface LiquidityChange {
  /** The emitter's address, followed by the pool's id if the log has one. */
  poolKey: Hex
  bin: bigint | null
  isAdded: boolean
  shares: bigint | null
}

/** Reads the liquidity changes in one kind of log; none if the log has another shape. */
export type LiquidityReader = (log: Log) => LiquidityChange[]

const WORD_BYTES = 32n

export function change(isAdded: boolean, keyOf: (log: Log) => Hex = ({ address }) => address): LiquidityReader {
  return (log) => [{ poolKey: keyOf(log), bin: null, isAdded, shares: null }]
}

/** Returns readers by topic for two events without amounts: one adds liquidity, the other removes it. */
export function addedAndRemoved(
  added: string,
  removed: string,
  keyOf?: (log: Log) => Hex,
): readonly (readonly [Hex, LiquidityReader])[] {
  return [
    [topicOf(added), change(true, keyOf)],
    [topicOf(removed), change(false, keyOf)],
  ]
}

/** Like `addedAndRemoved`, for events whose first list holds the changed bins. */
export function binsAddedAndRemoved(
  added: string,
  removed: string,
  keyOf: (log: Log) => Hex,
): readonly (readonly [Hex, LiquidityReader])[] {
  const reader = (isAdded: boolean) => (log: Log) =>
    (wordsAt(log.data, 0) ?? []).map((bin) => ({ poolKey: keyOf(log), bin, isAdded, shares: null }))
  return [
    [topicOf(added), reader(true)],
    [topicOf(removed), reader(false)],
  ]
}

const HALF = 128n

/**
 * Returns the sum of the packed amounts in the list whose offset is in word `pointer`: the first coin's in the lower
 * half of each word, the second coin's in the upper half. Null if there is no such list.
 */
export function packedAmounts(data: Hex, pointer: number): [bigint, bigint] | null {
  const words = wordsAt(data, pointer)
  if (words === null) return null
  const sum = (halves: readonly bigint[]) => halves.reduce((total, half) => total + half, 0n)
  return [sum(words.map((word) => BigInt.asUintN(128, word))), sum(words.map((word) => word >> HALF))]
}

export function inManager({ address, topics }: Log): Hex {
  return `${address}${topics[1]?.slice(2) ?? ''}`
}

/** Returns the words of the list whose offset is in word `pointer`; null if there is no such list. */
export function wordsAt(data: Hex, pointer: number): bigint[] | null {
  return placesAt(data, pointer)?.map((place) => uintWord(data, place)) ?? null
}

/** Like `wordsAt`, but returns the positions of the words. */
export function placesAt(data: Hex, pointer: number): number[] | null {
  const words = BigInt(Math.floor((data.length - 2) / WORD))
  if (words <= pointer) return null
  const offset = uintWord(data, pointer)
  if (offset % WORD_BYTES !== 0n || offset / WORD_BYTES >= words) return null
  const first = Number(offset / WORD_BYTES)
  const count = uintWord(data, first)
  if (count > words - BigInt(first) - 1n) return null
  return Array.from({ length: Number(count) }, (_, index) => first + 1 + index)
}
