import type { Chain } from '@dexfeed/chain'
import {
  countBitmapWords,
  type Hex,
  type Pool,
  type PoolState,
  type PoolStateAt,
  type StateReading,
  stateReadingOf,
  type TickLiquidityAt,
} from '@dexfeed/dex'
import { callEach } from './contract-answers.ts'
import { readTicks } from './read-ticks.ts'

export interface PoolSnapshots {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** Pools are read at a block no further below the head than this: nodes keep the state of 128 blocks. */
export const MAX_STATE_DEPTH = 64
/** Words of bitmaps that are read at one block: a few requests, through within a few blocks. */
export const MAX_WORDS = 4_000
/** The same where code reads them, thousands by a request. */
export const MAX_WORDS_BY_CODE = 24_000
/** The head goes first, however few pools are read. */
const IN_BULK = { priority: 'bulk' } as const

/**
 * Reads the state of pools at the end of one block, with all their initialised ticks. A pool that does not answer as
 * its kind should, or at whose ticks more than liquidity stands, is skipped.
 *
 * @param at the block's hash; its state must be available
 */
export async function snapshotPools(
  chain: Pick<Chain, 'callMany' | 'runInitCode'>,
  pools: readonly Pool[],
  blockNumber: number,
  at: Hex,
): Promise<PoolSnapshots> {
  const states = await readStates(chain, pools, at)
  const concentrated = states.flatMap(({ pool, state }) => {
    const bitmap = tickBitmap(pool)
    return bitmap === null || state.kind !== 'concentrated' ? [] : [{ pool, state, ...bitmap }]
  })
  const ticks = await readTicks(chain, concentrated, at)
  return {
    states: states.flatMap(({ pool: { address: pool }, state }) =>
      ticks.get(pool) === null ? [] : [{ pool, blockNumber, state }],
    ),
    ticks: [...ticks].flatMap(([pool, ofPool]) => (ofPool ?? []).map((tick) => ({ pool, blockNumber, ...tick }))),
  }
}

/** How a pool's ticks are read, and how far apart the bits of their bitmap are; null where it has none. */
function tickBitmap(pool: Pool): { reading: NonNullable<StateReading['ticks']>; bitSpacing: number } | null {
  const reading = stateReadingOf(pool)?.ticks ?? null
  if (reading === null || pool.tickSpacing === null) return null
  return { reading, bitSpacing: reading.bitSpacing ?? pool.tickSpacing }
}

/** How many words its bitmap of ticks has. */
export function wordsOf(pool: Pool): number {
  const bitmap = tickBitmap(pool)
  return bitmap === null ? 0 : countBitmapWords(bitmap.bitSpacing)
}

async function readStates(
  chain: Pick<Chain, 'callMany'>,
  pools: readonly Pool[],
  at: Hex,
): Promise<{ pool: Pool; state: PoolState }[]> {
  const readings = pools.flatMap((pool) => {
    const reading = stateReadingOf(pool)
    return reading === null ? [] : [{ pool, reading, questions: reading.questions(pool) }]
  })
  const questions = readings.map((one) => one.questions)
  const answers = await callEach(chain, questions, at, IN_BULK)
  return readings.flatMap(({ pool, reading }, index) => {
    const state = reading.read(pool, answers[index] ?? [])
    return state === null ? [] : [{ pool, state }]
  })
}
