import { type Result, solidityPackedKeccak256 } from 'ethers'
import type { Hex } from '../../src/chain.ts'
import type { DexKind } from '../../src/pool.ts'
import type { PoolFamily } from '../../src/pool-event.ts'

export type Arguments = ReturnType<Result['toObject']>
/**
 * Returns the decoded event for an event's arguments, without the position of its log, or null for an impossible
 * exchange.
 */
export type Expectation = (args: Arguments) => object | null
type EventExpectations = Readonly<Record<string, Expectation>>
/** `EXPECTED_EVENTS` in a venue's `expected-events.ts`: what each event should decode to, by kind and event. */
export type ExpectedEvents = Readonly<Record<DexKind, EventExpectations>>

/** The contract that emits every log. */
export const EMITTER: Hex = `0x${'aa'.repeat(20)}`

export const lower = (text: string) => text.toLowerCase()
export const token = (address: string) => ({ token: lower(address) })

export const exchanged = (kind: DexKind, sold: object, soldAmount: bigint, bought: object, boughtAmount: bigint) => ({
  type: 'exchange',
  family: kind,
  sold,
  soldAmount,
  bought,
  boughtAmount,
})
/** An exchange whose event names both tokens, which together identify the pool. */
export const settled = (kind: DexKind, sold: string, soldAmount: bigint, bought: string, boughtAmount: bigint) => {
  const tokens = [sold, bought].map((address) => lower(address)).sort()
  return {
    ...exchanged(kind, token(sold), soldAmount, token(bought), boughtAmount),
    pool: `${EMITTER}${solidityPackedKeccak256(['address', 'address'], tokens).slice(2)}`,
  }
}
export const coins = (isFirstSold: boolean): [object, object] =>
  isFirstSold ? [{ coin: 0 }, { coin: 1 }] : [{ coin: 1 }, { coin: 0 }]

/** An exchange in a pool of two coins, from what the pool gained of each; null if that has no direction. */
export const exchangedBetween = (kind: DexKind, amount0: bigint, amount1: bigint) => {
  if (amount0 * amount1 >= 0n) return null
  const [sold, bought] = coins(amount0 > 0n)
  return amount0 > 0n
    ? exchanged(kind, sold, amount0, bought, -amount1)
    : exchanged(kind, sold, amount1, bought, -amount0)
}

/** Amounts of two coins in one word. */
export const halves = (word: string) => [BigInt.asUintN(128, BigInt(word)), BigInt(word) >> 128n] as const
export const packedSums = (words: readonly string[]) =>
  ([0, 1] as const).map((side) => words.reduce((sum, word) => sum + halves(word)[side], 0n))

/** Events that only show that a pool's amounts changed. */
export const touches = (family: PoolFamily, ...names: readonly string[]): EventExpectations =>
  Object.fromEntries(names.map((name) => [name, () => ({ type: 'touch', family })]))

/** Events of contracts that pools depend on. */
export const dependencies = (family: PoolFamily, ...names: readonly string[]): EventExpectations =>
  Object.fromEntries(names.map((name) => [name, () => ({ type: 'dependency', family })]))

/** A pool inside a manager, which emits the pool's events. */
export const managed = (id: string) => ({ family: 'managed', pool: `${EMITTER}${lower(id).slice(2)}` })
export const managedTouch = (id: string) => ({ type: 'touch', ...managed(id) })
export const managedExchange = (
  id: string,
  sold: object,
  soldAmount: bigint,
  bought: object,
  boughtAmount: bigint,
) => ({ type: 'exchange', ...managed(id), sold, soldAmount, bought, boughtAmount })
