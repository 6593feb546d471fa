import type { EventState } from '@dexfeed/dex'
import type { ChainPlan } from '../chain-plan.ts'
import { LaterPools, swapsUntil } from './later-pools.ts'
import { laterIndexOf, type Market, makeMarket } from './market.ts'
import type { MadePool } from './pool.ts'
import { stateAfter } from './pool-states.ts'
import { makeSchedule, type Schedule } from './schedule.ts'

/** A made chain without its blocks: its pools, and the state of each at the end of any block. */
export class MadeWorld {
  readonly market: Market
  readonly schedule: Schedule
  readonly later: LaterPools
  /** The lowest block that links to the one above it, and the first head. */
  readonly first: number
  readonly firstHead: number

  constructor({ network, seed, shape, history }: ChainPlan) {
    this.market = makeMarket(network, seed, shape)
    this.schedule = makeSchedule(this.market.seed, shape.pools, shape.swaps, shape.cycle)
    this.firstHead = shape.aboutNumber
    this.first = this.firstHead - history
    this.later = new LaterPools(this.market, this.firstHead, (shape.newPoolsPerMinute * shape.blockTimeS) / 60)
  }

  /** Returns the block of the cycle that a block repeats. */
  blockOfCycle(number: number): number {
    return (number - this.first) % this.schedule.blocks
  }

  /** Returns the block that creates a pool; 0 for those that exist from the beginning. */
  bornAt(pool: MadePool): number {
    const index = laterIndexOf(pool)
    return index === null ? 0 : this.later.bornAt(index)
  }

  /** Returns a pool's state at the end of a block, which must not be before its creation. */
  stateAt(pool: MadePool, block: number): EventState {
    const born = this.bornAt(pool)
    if (born > 0) return stateAfter(pool, swapsUntil(born, block))
    const swaps = block < this.first ? 0 : this.schedule.swapsUntil(pool.rank, this.blockOfCycle(block))
    return stateAfter(pool, swaps % this.schedule.swapsInCycle(pool.rank))
  }
}
