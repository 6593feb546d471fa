import type { Chain } from '@dexfeed/chain'
import {
  bitmapCall,
  bitmapWords,
  type Hex,
  type Pool,
  type PoolState,
  type PoolStateAt,
  readState,
  readTick,
  stateCalls,
  type TickLiquidityAt,
  tickCall,
  ticksOfWord,
} from '@dexfeed/dex'

export interface PoolSnapshots {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/**
 * Reads the state of pools at the end of one block, with all their initialised ticks. A pool that does not answer as
 * its kind should is left out.
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
  const concentrated = states.flatMap(({ pool, state }) => {
    const { tickSpacing } = pool
    return state.kind === 'concentrated' && tickSpacing !== null ? [{ pool, tickSpacing }] : []
  })
  const ticks = await readTicks(chain, concentrated, at)
  return {
    states: states.map(({ pool, state }) => ({ pool: pool.address, blockNumber, state })),
    ticks: ticks.map((tick) => ({ ...tick, blockNumber })),
  }
}

async function readStates(
  chain: Pick<Chain, 'callMany'>,
  pools: readonly Pool[],
  at: Hex,
): Promise<{ pool: Pool; state: PoolState }[]> {
  const asked = pools.flatMap((pool) => stateCalls(pool).map((data) => ({ to: pool.address, data })))
  const replies = await chain.callMany(asked, at)
  let next = 0
  return pools.flatMap((pool) => {
    const from = next
    next += stateCalls(pool).length
    const state = readState(pool, replies.slice(from, next))
    return state === null ? [] : [{ pool, state }]
  })
}

async function readTicks(
  chain: Pick<Chain, 'callMany'>,
  pools: readonly { pool: Pool; tickSpacing: number }[],
  at: Hex,
): Promise<Omit<TickLiquidityAt, 'blockNumber'>[]> {
  const words = pools.flatMap(({ pool, tickSpacing }) =>
    bitmapWords(tickSpacing).map((word) => ({ to: pool.address, data: bitmapCall(word), word, tickSpacing })),
  )
  const bitmaps = await chain.callMany(words, at)
  const initialised = words.flatMap(({ to, word, tickSpacing }, index) =>
    ticksOfWord(word, answered(bitmaps[index], to), tickSpacing).map((tick) => ({ to, data: tickCall(tick), tick })),
  )
  const replies = await chain.callMany(initialised, at)
  return initialised.map(({ to, tick }, index) => ({ pool: to, ...readTick(tick, answered(replies[index], to)) }))
}

/** A pool that told its price must tell its ticks; half a snapshot would be a wrong price. */
function answered(reply: Hex | null | undefined, pool: string): Hex {
  if (reply === null || reply === undefined) throw new Error(`pool ${pool} does not tell its ticks`)
  return reply
}
