import type { Hex } from '../../../chain.ts'
import type { Pool } from '../../../pool.ts'
import type { PoolState, TickLiquidity } from '../../../pool-state.ts'
import { createMarket, type Market } from '../../../quote/market.ts'
import { bitmapWords, readTick, ticksOfWord } from '../../../tick-scan/tick-scan.ts'
import type { EthCall, StateReading } from '../../protocol.ts'
import { stateReadingOf } from '../../registry.ts'

type Read = (call: EthCall) => Promise<Hex | null>

/** Returns a market of one pool, which is not quoted if it has no state. */
export async function readPoolOnChain(pool: Pool, read: Read, timestamp = 0): Promise<Market> {
  const reading = stateReadingOf(pool)
  const state = await readStateOnChain(reading, pool, read, timestamp)
  const ticks = state?.kind === 'concentrated' ? await readTicksOnChain(reading, pool, read) : undefined
  return createMarket([{ pool, state, ...(ticks && { ticks }) }])
}

export async function readStateOnChain(
  reading: StateReading | null,
  pool: Pool,
  read: Read,
  timestamp = 0,
): Promise<PoolState | null> {
  const steps = reading?.steps(pool, timestamp)
  if (steps === undefined) return null
  let step = steps.next([])
  while (!step.done) step = steps.next(await Promise.all(step.value.map(read)))
  return step.value
}

export async function readTicksOnChain(reading: StateReading | null, pool: Pool, read: Read): Promise<TickLiquidity[]> {
  const { ticks } = reading ?? {}
  if (!ticks || pool.tickSpacing === null) throw new Error('the pool has no ticks')
  const { bitmap, tick, read: readOne = readTick } = ticks
  const spacing = pool.tickSpacing
  const words = bitmapWords(spacing)
  const bits = await Promise.all(words.map((word) => read(bitmap(pool, word))))
  const initialised = words.flatMap((word, index) => ticksOfWord(word, bits[index] ?? '0x0', spacing))
  const replies = await Promise.all(initialised.map((at) => read(tick(pool, at))))
  return initialised.flatMap((at, index) => readOne(at, replies[index] ?? '0x0') ?? [])
}
