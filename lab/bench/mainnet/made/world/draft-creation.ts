import type { Address } from '@dexfeed/dex'
import type { DraftLog, DraftTransaction } from '@dexfeed/fake-node/commitments/draft'
import { transfer } from './draft-trade.ts'
import { addressTopic, type MadePool, TOPICS, word } from './pool.ts'
import { dataOf, stateAfter } from './pool-states.ts'

const CREATION_GAS = 4_600_000

/** The transaction that makes a pool and gives it its first liquidity. */
export function draftCreation(pool: MadePool, maker: Address): DraftTransaction {
  const { address, factory, token0, token1, reserves } = pool
  const logs = [
    pool.kind === 'uniswap-v2' ? pairCreated(pool) : poolCreated(pool),
    transfer(token0.address, maker, address, reserves[0]),
    transfer(token1.address, maker, address, reserves[1]),
    ...(pool.kind === 'uniswap-v2' ? firstReserves(pool) : firstPositions(pool, maker)),
  ]
  return { from: maker, to: factory, value: 0n, type: 2, succeeded: true, gasUsed: CREATION_GAS, logs }
}

function pairCreated({ address, factory, token0, token1, rank }: MadePool): DraftLog {
  const topics = [TOPICS.pairCreated, addressTopic(token0.address), addressTopic(token1.address)]
  return { address: factory, topics, data: dataOf(BigInt(address), BigInt(rank)) }
}

function poolCreated({ address, factory, token0, token1, fee, tickSpacing }: MadePool): DraftLog {
  const topics = [
    TOPICS.poolCreated,
    addressTopic(token0.address),
    addressTopic(token1.address),
    `0x${word(fee)}` as const,
  ]
  return { address: factory, topics, data: dataOf(BigInt(tickSpacing), BigInt(address)) }
}

function firstReserves(pool: MadePool): DraftLog[] {
  const state = stateAfter(pool, 0)
  if (state.kind !== 'pair') return []
  return [{ address: pool.address, topics: [TOPICS.sync], data: dataOf(state.reserve0, state.reserve1) }]
}

/** The first price, then a Mint for each two ticks that a position has its ends at. */
function firstPositions(pool: MadePool, maker: Address): DraftLog[] {
  const state = stateAfter(pool, 0)
  if (state.kind === 'pair') return []
  const { sqrtPriceX96, tick } = state
  const initialize: DraftLog = {
    address: pool.address,
    topics: [TOPICS.initialize],
    data: dataOf(sqrtPriceX96, BigInt(tick)),
  }
  const mints = positionsOf(pool).map(({ lower, upper, liquidity }): DraftLog => {
    const topics = [TOPICS.mint, addressTopic(maker), `0x${word(lower)}` as const, `0x${word(upper)}` as const]
    return { address: pool.address, topics, data: dataOf(BigInt(maker), liquidity, 1n, 1n) }
  })
  return [initialize, ...mints]
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
