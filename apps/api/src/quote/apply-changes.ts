import type { Address, Market, PoolAddress, QuotablePool, TickLiquidityAt } from '@dexfeed/dex'
import type { MarketChanges } from '@dexfeed/store'
import type { KnownBlocks } from './known-blocks.ts'

/** Pools, states and ticks that are changed before there may be a pause. */
const SLICE = 1_000

/**
 * Makes a market follow changes. Whoever goes through it to the end without a pause leaves no gap in which a quote could
 * see half of a block; where there is much, a pause may be made at each yield while nobody asks the market.
 *
 * @param newPools the pools among the changed ones that the market does not hold
 */
export function* applyChanges(
  market: Market,
  newPools: readonly QuotablePool[],
  { network, states, ticks, distrusted, rollback }: MarketChanges,
  blocks: KnownBlocks,
): Generator<undefined, void> {
  let done = 0
  const isSliceDone = () => ++done % SLICE === 0
  for (const pool of newPools) {
    market.upsertPool(pool)
    if (isSliceDone()) yield
  }
  if (rollback !== null) {
    const ticksOf = ticksByPool(rollback.ticks)
    const stateOf = new Map(rollback.states.map((at) => [at.pool, at]))
    for (const address of rollback.pools) {
      blocks.forget(address)
      const known = market.pool(address)
      if (known === null) continue
      const [at, own] = [stateOf.get(address), ticksOf.get(address) ?? []]
      if (known.pool.tickSpacing !== null) market.setTicks(address, own)
      market.setState(address, at?.state ?? null)
      for (const { blockNumber } of at === undefined ? own : [at, ...own]) blocks.note(address, blockNumber)
      if (isSliceDone()) yield
    }
  }
  for (const tick of ticks) {
    // Of a pool that the market does not hold: its state has been rolled back.
    if (market.pool(tick.pool) === null) continue
    market.applyTick(tick.pool, tick)
    blocks.note(tick.pool, tick.blockNumber)
    if (isSliceDone()) yield
  }
  for (const { pool, state, blockNumber } of states) {
    market.setState(pool, state)
    blocks.note(pool, blockNumber)
    if (isSliceDone()) yield
  }
  // The snapshot that makes one trusted again brings its state with it.
  for (const pool of distrusted) if (market.pool(pool) !== null) market.setState(pool, null)
  blocks.settle(network.finalNumber)
}

/** How much there is to change. */
export function countChanges({ states, ticks, rollback }: MarketChanges): number {
  const again = rollback === null ? 0 : rollback.pools.length + rollback.ticks.length
  return states.length + ticks.length + again
}

/** Every pool whose state or ticks are among the changes. */
export function changedPools({ states, ticks, rollback }: MarketChanges): PoolAddress[] {
  return [...new Set([...states, ...ticks, ...(rollback?.states ?? [])].map(({ pool }) => pool))]
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
