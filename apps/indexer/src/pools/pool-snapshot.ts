import type { Chain } from '@dexfeed/chain'
import {
  bitmapWords,
  countBitmapWords,
  type Hex,
  type Pool,
  type PoolAddress,
  type PoolState,
  type PoolStateAt,
  readTick,
  type StateReading,
  stateReadingOf,
  type TickLiquidity,
  type TickLiquidityAt,
  ticksOfWord,
} from '@dexfeed/dex'
import { askEach } from './ask-each.ts'

export interface PoolSnapshots {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** Pools are read at a block no further below the head than this: nodes keep the state of 128 blocks. */
export const MAX_STATE_DEPTH = 64
/** Words of bitmaps that are read at one block: a few requests, through within a few blocks. */
export const MAX_WORDS = 4_000
/** The head goes first, however few pools are read. */
const IN_BULK = { priority: 'bulk' } as const

/**
 * Reads the state of pools at the end of one block, with all their initialised ticks. A pool that does not answer as
 * its kind should, or at whose ticks more than liquidity stands, is skipped.
 *
 * @param at the block's hash; its state must be available
 */
export async function snapshotPools(
  chain: Pick<Chain, 'callMany'>,
  pools: readonly Pool[],
  blockNumber: number,
  at: Hex,
): Promise<PoolSnapshots> {
  const states = await readStates(chain, pools, at)
  const concentrated = states.flatMap(({ pool }) => {
    const bitmap = tickBitmap(pool)
    return bitmap === null ? [] : [{ pool, ...bitmap }]
  })
  const ticks = await readTicks(chain, concentrated, at)
  const unclear = new Set(ticks.flatMap(({ pool, liquidity }) => (liquidity === null ? [pool] : [])))
  return {
    states: states.flatMap(({ pool: { address: pool }, state }) =>
      unclear.has(pool) ? [] : [{ pool, blockNumber, state }],
    ),
    ticks: ticks.flatMap(({ pool, liquidity }) =>
      liquidity === null || unclear.has(pool) ? [] : [{ pool, blockNumber, ...liquidity }],
    ),
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
  const asked = pools.flatMap((pool) => {
    const reading = stateReadingOf(pool)
    return reading === null ? [] : [{ pool, reading, questions: reading.questions(pool) }]
  })
  const questions = asked.map((one) => one.questions)
  const answers = await askEach(chain, questions, at, IN_BULK)
  return asked.flatMap(({ pool, reading }, index) => {
    const state = reading.read(pool, answers[index] ?? [])
    return state === null ? [] : [{ pool, state }]
  })
}

async function readTicks(
  chain: Pick<Chain, 'callMany'>,
  pools: readonly { pool: Pool; bitSpacing: number; reading: NonNullable<StateReading['ticks']> }[],
  at: Hex,
): Promise<{ pool: PoolAddress; liquidity: TickLiquidity | null }[]> {
  const words = pools.flatMap((of) => bitmapWords(of.bitSpacing).map((word) => ({ of, word })))
  const bitmaps = await chain.callMany(
    words.map(({ of, word }) => of.reading.bitmap(of.pool, word)),
    at,
    IN_BULK,
  )
  const initialised = words.flatMap(({ of: { pool, reading, bitSpacing }, word }, index) =>
    ticksOfWord(word, answered(bitmaps[index], pool.address), bitSpacing).map((tick) => ({
      pool: pool.address,
      tick,
      read: reading.read ?? readTick,
      ...reading.tick(pool, tick),
    })),
  )
  const replies = await chain.callMany(initialised, at, IN_BULK)
  return initialised.map(({ pool, tick, read }, index) => ({
    pool,
    liquidity: read(tick, answered(replies[index], pool)),
  }))
}

/** A pool that answered its price must answer its ticks; half a snapshot would be a wrong price. */
function answered(reply: Hex | null | undefined, pool: string): Hex {
  if (reply === null || reply === undefined) throw new Error(`pool ${pool} does not answer its ticks`)
  return reply
}
