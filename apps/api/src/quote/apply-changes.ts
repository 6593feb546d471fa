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

const SLICE = 1_000

/** For each pool that a rollback could affect, the reorgable block of its last change. */
export class KnownBlocks {
  readonly #blocks = new Map<PoolAddress, number>()
  #finalNumber = -1

  begin(finalNumber: number | null): void {
    this.#blocks.clear()
    this.#finalNumber = finalNumber ?? -1
  }

  note(pool: PoolAddress, blockNumber: number): void {
    if (blockNumber > this.#finalNumber)
      this.#blocks.set(pool, Math.max(blockNumber, this.#blocks.get(pool) ?? blockNumber))
  }

  forget(pool: PoolAddress): void {
    this.#blocks.delete(pool)
  }

  /** From now on, no rollback goes below this block. */
  settle(finalNumber: number | null): void {
    if (finalNumber === null || finalNumber <= this.#finalNumber) return
    this.#finalNumber = finalNumber
    for (const [pool, block] of this.#blocks) if (block <= finalNumber) this.#blocks.delete(pool)
  }

  above(blockNumber: number): PoolAddress[] {
    return [...this.#blocks].filter(([, block]) => block > blockNumber).map(([pool]) => pool)
  }
}

export interface ChangedMarket {
  market: Market
  blocks: KnownBlocks
  isDust: (pool: PoolInState) => boolean
}

/**
 * Applies changes to the market. The caller may pause at each yield, but no quote may run before the end, because it
 * would see half of a block.
 *
 * @param newPools changed pools that the market does not hold
 */
export function* applyChanges(
  { market, blocks, isDust }: ChangedMarket,
  newPools: readonly QuotablePool[],
  changes: MarketChanges,
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
    const stateOf = new Map(states.map((stateAt) => [stateAt.pool, stateAt]))
    for (const address of pools) {
      const stateAt = stateOf.get(address)
      const poolTicks = ticksOf.get(address) ?? []
      if (stateAt !== undefined) blocks.note(address, stateAt.blockNumber)
      for (const { blockNumber } of poolTicks) blocks.note(address, blockNumber)
      const held = market.pool(address)
      if (held === null) continue
      if (held.ticks !== null) market.setTicks(address, poolTicks)
      market.setState(address, stateAt === undefined || stateAt.blockNumber < idleBelow ? null : stateAt.state)
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
  // A removed pool comes back whole with its next event, an invalid one with the snapshot that makes it valid again.
  for (const pool of [...leaving, ...invalidated]) {
    market.removePool(pool)
    if (isSliceDone()) yield
  }
  for (const pool of changedPools(changes)) {
    const held = market.pool(pool)
    if (held !== null && (isEmptyPool(held) || isDust(held))) market.removePool(pool)
    if (isSliceDone()) yield
  }
  blocks.settle(network.finalNumber)
}

export function countChanges({ states, ticks, rollback, entering, leaving }: MarketChanges): number {
  const again = rollback === null ? 0 : rollback.pools.length + rollback.ticks.length
  return states.length + ticks.length + again + entering.ticks.length + leaving.length
}

export function changedPools({ states, ticks, rollback }: MarketChanges): PoolAddress[] {
  return [...new Set([...[...states, ...ticks].map(({ pool }) => pool), ...(rollback?.pools ?? [])])]
}

function ticksByPool(ticks: readonly TickLiquidityAt[]): Map<Address, TickLiquidityAt[]> {
  const byPool = new Map<Address, TickLiquidityAt[]>()
  for (const tick of ticks) {
    const poolTicks = byPool.get(tick.pool)
    if (poolTicks === undefined) byPool.set(tick.pool, [tick])
    else poolTicks.push(tick)
  }
  return byPool
}
