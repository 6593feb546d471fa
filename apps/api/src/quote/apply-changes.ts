import {
  type Address,
  isEmptyPool,
  type Market,
  type PoolAddress,
  type PoolInState,
  type QuotablePool,
  type TickLiquidityAt,
} from '@dexfeed/dex'
import type { MarketChanges } from '@dexfeed/store'
import type { KnownBlocks } from './known-blocks.ts'

/** Pools, states and ticks to change before a possible pause. */
const SLICE = 1_000

/**
 * Applies changes to a market. A caller that runs this generator without a pause never shows quotes half of a block.
 * For large changes the caller may pause at each yield, if no quote runs meanwhile.
 *
 * @param newPools changed pools that the market does not hold
 * @param isDust whether a pool holds too little to be kept
 */
export function* applyChanges(
  market: Market,
  newPools: readonly QuotablePool[],
  changes: MarketChanges,
  blocks: KnownBlocks,
  isDust: (pool: PoolInState) => boolean = () => false,
): Generator<undefined, void> {
  const { network, states, ticks, invalidated, rollback, entering, leaving, idleBelow } = changes
  let done = 0
  const isSliceDone = () => ++done % SLICE === 0
  for (const pool of newPools) {
    market.upsertPool(pool)
    if (isSliceDone()) yield
  }
  for (const pool of rollback?.pools ?? []) blocks.forget(pool)
  for (const { pools, states, ticks } of rollback === null ? [entering] : [rollback, entering]) {
    const ticksOf = ticksByPool(ticks)
    const stateOf = new Map(states.map((at) => [at.pool, at]))
    for (const address of pools) {
      const at = stateOf.get(address)
      const own = ticksOf.get(address) ?? []
      for (const { blockNumber } of at === undefined ? own : [at, ...own]) blocks.note(address, blockNumber)
      const known = market.pool(address)
      if (known === null) continue
      if (known.pool.tickSpacing !== null) market.setTicks(address, own)
      market.setState(address, at === undefined || at.blockNumber < idleBelow ? null : at.state)
      if (isSliceDone()) yield
    }
  }
  for (const tick of ticks) {
    market.applyTick(tick.pool, tick)
    blocks.note(tick.pool, tick.blockNumber)
    if (isSliceDone()) yield
  }
  for (const { pool, state, blockNumber } of states) {
    market.setState(pool, blockNumber < idleBelow ? null : state)
    blocks.note(pool, blockNumber)
    if (isSliceDone()) yield
  }
  // A removed pool returns whole with its next event. So does the snapshot that makes an invalid pool valid again.
  for (const pool of [...leaving, ...invalidated]) {
    market.removePool(pool)
    if (isSliceDone()) yield
  }
  for (const pool of changedPools(changes)) {
    const known = market.pool(pool)
    if (known !== null && (isEmptyPool(known) || isDust(known))) market.removePool(pool)
    if (isSliceDone()) yield
  }
  blocks.settle(network.finalNumber)
}

/** Returns the number of changed rows. */
export function countChanges({ states, ticks, rollback, entering, leaving }: MarketChanges): number {
  const again = rollback === null ? 0 : rollback.pools.length + rollback.ticks.length
  return states.length + ticks.length + again + entering.ticks.length + leaving.length
}

/** Returns every pool that was rolled back, or whose state or ticks have changed. */
export function changedPools({ states, ticks, rollback }: MarketChanges): PoolAddress[] {
  return [...new Set([...[...states, ...ticks].map(({ pool }) => pool), ...(rollback?.pools ?? [])])]
}

function ticksByPool(ticks: readonly TickLiquidityAt[]): Map<Address, TickLiquidityAt[]> {
  const byPool = new Map<Address, TickLiquidityAt[]>()
  for (const tick of ticks) {
    const known = byPool.get(tick.pool)
    if (known === undefined) byPool.set(tick.pool, [tick])
    else known.push(tick)
  }
  return byPool
}
