import {
  countBitmapWords,
  type Hex,
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
import { IN_BULK, readTicks, type StateNode } from './read-ticks.ts'

export interface PoolSnapshots {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** Nodes keep the state of 128 blocks; this is half of them. */
export const MAX_STATE_DEPTH = 64
/** Bitmap words per snapshot: few enough to be read within a few blocks. */
export const MAX_WORDS = 4_000
/** The limit if code in the node reads the words. */
export const MAX_WORDS_BY_CODE = 24_000
export interface StateBlock {
  number: number
  hash: Hex
  timestamp: number
}

/**
 * Reads pools at the end of a block, with all initialised ticks. Skips pools whose replies do not fit their kind, or
 * whose ticks hold more than liquidity.
 */
export async function snapshotPools(
  chain: StateNode,
  pools: readonly Pool[],
  block: StateBlock,
): Promise<PoolSnapshots> {
  const { number: blockNumber, hash } = block
  const states = await readStates(chain, pools, block)
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

function tickBitmap(pool: Pool): { reading: NonNullable<StateReading['ticks']>; bitSpacing: number } | null {
  const reading = stateReadingOf(pool)?.ticks ?? null
  if (reading === null || pool.tickSpacing === null) return null
  return { reading, bitSpacing: reading.bitSpacing ?? pool.tickSpacing }
}

export function wordsOf(pool: Pool): number {
  const bitmap = tickBitmap(pool)
  return bitmap === null ? 0 : countBitmapWords(bitmap.bitSpacing)
}

function* stateSteps(reading: StateReading, pool: Pool, timestamp: number): StateSteps {
  const reason = reading.unknown === undefined ? null : yield* reading.unknown(pool)
  return reason === null ? yield* reading.steps(pool, timestamp) : notQuoted(reason)
}

async function readStates(
  { callMany }: StateNode,
  pools: readonly Pool[],
  { hash, timestamp }: StateBlock,
): Promise<{ pool: Pool; state: PoolState }[]> {
  const runs = pools.flatMap((pool) => {
    const reading = stateReadingOf(pool)
    return reading === null ? [] : [{ pool, steps: stateSteps(reading, pool, timestamp) }]
  })
  const states = await runTogether(
    runs.map(({ steps }) => steps),
    (questions) => callEach(callMany, questions, hash, IN_BULK),
  )
  return runs.flatMap(({ pool }, index) => {
    const state = states?.[index] ?? null
    return state === null ? [] : [{ pool, state }]
  })
}
