import type { CallMany } from '@dexfeed/chain'
import {
  type BlockHeader,
  countBitmapWords,
  notQuoted,
  type Pool,
  type PoolState,
  type PoolStateAt,
  type StateReading,
  type StateSteps,
  stateReadingOf,
  type TickLiquidityAt,
} from '@dexfeed/dex'
import { callEach, runTogether } from './contract-calls.ts'
import { readTicks, type StateCalls } from './read-ticks.ts'

export interface PoolSnapshots {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** Maximum depth below the head at which pools are read. Nodes keep the state of 128 blocks. */
export const MAX_STATE_DEPTH = 64
/** Maximum bitmap words per snapshot: a few requests, done within a few blocks. */
export const MAX_WORDS = 4_000
/** The maximum if code that runs in the node reads them, thousands of words per request. */
export const MAX_WORDS_BY_CODE = 24_000
/** The head goes first, even for few pools. */
const IN_BULK = { priority: 'bulk' } as const

/**
 * Reads the state of pools at the end of an available block, with all initialised ticks.
 * Skips a pool that does not return what its kind should, or whose ticks hold more than liquidity.
 */
export async function snapshotPools(
  chain: StateCalls,
  pools: readonly Pool[],
  { number: blockNumber, hash, timestamp }: Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>,
): Promise<PoolSnapshots> {
  const states = await readStates(chain, pools, { hash, timestamp })
  const concentrated = states.flatMap(({ pool, state }) => {
    const bitmap = tickBitmap(pool)
    return bitmap === null || state.kind !== 'concentrated' ? [] : [{ pool, state, ...bitmap }]
  })
  const ticks = await readTicks(chain, concentrated, hash)
  return {
    states: states.flatMap(({ pool: { address: pool }, state }) =>
      ticks.get(pool) === null ? [] : [{ pool, blockNumber, state }],
    ),
    ticks: [...ticks].flatMap(([pool, ofPool]) => (ofPool ?? []).map((tick) => ({ pool, blockNumber, ...tick }))),
  }
}

/** Returns how a pool's ticks are read, and the spacing of its bitmap's bits; null if it has no ticks. */
function tickBitmap(pool: Pool): { reading: NonNullable<StateReading['ticks']>; bitSpacing: number } | null {
  const reading = stateReadingOf(pool)?.ticks ?? null
  if (reading === null || pool.tickSpacing === null) return null
  return { reading, bitSpacing: reading.bitSpacing ?? pool.tickSpacing }
}

/** Returns the number of words in the pool's tick bitmap. */
export function wordsOf(pool: Pool): number {
  const bitmap = tickBitmap(pool)
  return bitmap === null ? 0 : countBitmapWords(bitmap.bitSpacing)
}

/** Reads a pool's state, or why it must not be quoted. */
function* stateSteps(reading: StateReading, pool: Pool, timestamp: number): StateSteps {
  const reason = reading.unknown === undefined ? null : yield* reading.unknown(pool)
  return reason === null ? yield* reading.steps(pool, timestamp) : notQuoted(reason)
}

async function readStates(
  chain: { callMany: CallMany },
  pools: readonly Pool[],
  { hash, timestamp }: Pick<BlockHeader, 'hash' | 'timestamp'>,
): Promise<{ pool: Pool; state: PoolState }[]> {
  const runs = pools.flatMap((pool) => {
    const reading = stateReadingOf(pool)
    return reading === null ? [] : [{ pool, steps: stateSteps(reading, pool, timestamp) }]
  })
  const states = await runTogether(
    runs.map(({ steps }) => steps),
    (questions) => callEach(chain, questions, hash, IN_BULK),
  )
  return runs.flatMap(({ pool }, index) => {
    const state = states?.[index] ?? null
    return state === null ? [] : [{ pool, state }]
  })
}
