import type { Address } from '@dexfeed/dex'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { initializeLog, mintLog, pairCreatedLog, poolCreatedLog, syncLog, transferLog } from '@dexfeed/fake-node/events'
import type { MadePool } from './pool.ts'
import { stateAfter } from './pool-states.ts'

const CREATION_GAS = 4_600_000

/** Returns the transaction that creates a pool and gives it its first liquidity. */
export function draftCreation(pool: MadePool, maker: Address): DraftTransaction {
  const { address, factory, token0, token1, reserves } = pool
  const logs = [
    pool.kind === 'uniswap-v2' ? pairCreatedLog(pool, pool.rank) : poolCreatedLog(pool, pool),
    transferLog(token0.address, maker, address, reserves[0]),
    transferLog(token1.address, maker, address, reserves[1]),
    ...firstLiquidity(pool, maker),
  ]
  return { from: maker, to: factory, value: 0n, type: 2, succeeded: true, gasUsed: CREATION_GAS, logs }
}

/** A pair's first reserves; else the first price, then a Mint for each two ticks that bound a position. */
function firstLiquidity(pool: MadePool, owner: Address): DraftLog[] {
  const { address } = pool
  const state = stateAfter(pool, 0)
  if (state.kind === 'pair') return [syncLog(address, state)]
  const mints = positionsOf(pool).map(({ lower, upper, liquidity }) =>
    mintLog(address, { owner, lower, upper }, liquidity, [1n, 1n]),
  )
  return [initializeLog(address, state), ...mints]
}

/** Positions that make the pool's ticks: the innermost ends first. */
function positionsOf({ ticks }: MadePool): { lower: number; upper: number; liquidity: bigint }[] {
  const open = [...ticks].sort(([a], [b]) => a - b).map(([tick, { net }]) => ({ tick, net }))
  const below = open.filter(({ net }) => net > 0n)
  const above = open.filter(({ net }) => net < 0n).reverse()
  const positions: { lower: number; upper: number; liquidity: bigint }[] = []
  for (const lower of below) {
    for (const upper of above) {
      const liquidity = lower.net < -upper.net ? lower.net : -upper.net
      if (liquidity === 0n) continue
      positions.push({ lower: lower.tick, upper: upper.tick, liquidity })
      lower.net -= liquidity
      upper.net += liquidity
    }
  }
  return positions
}
