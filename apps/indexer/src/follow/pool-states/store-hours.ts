import { systemClock } from '@dexfeed/chain'
import {
  type Address,
  type BlockPoint,
  createMarket,
  type Deployment,
  HOUR_S,
  heldByCoin,
  intervalStart,
  type MarketSeed,
  type Pool,
  type PoolAddress,
  pricesOfStates,
  referenceTest,
  type Token,
} from '@dexfeed/dex'
import type { HeldAt, LiquidityHour } from '@dexfeed/store'
import type { HeaderSource } from '../../blocks/common-ancestor.ts'
import { firstBlockSince } from '../../days/start-block.ts'
import type { LoopClock } from '../../loops/loop.ts'

const PAGE_POOLS = 100
/** A page takes a few dozen milliseconds, and the head goes first. */
const PAUSE_MS = 50

export interface HoursOptions {
  chain: HeaderSource
  store: {
    lastHour(): Promise<LiquidityHour | null>
    saveHour(hour: LiquidityHour): Promise<void>
    savePoolHours(time: number, held: readonly HeldAt[]): Promise<void>
    deleteInvalidHours(): Promise<void>
    poolsAt(block: number, pools: readonly PoolAddress[]): Promise<MarketSeed[]>
    poolsChanged(blocks: ChangedBlocks, after: PoolAddress | null, limit: number): Promise<PoolAddress[]>
  }
  deployment: Deployment
  known: { pools: ReadonlyMap<PoolAddress, Pool>; tokens: { known(): Iterable<Token> } }
  clock?: LoopClock
}

interface ChangedBlocks {
  above: number
  to: number
}

/**
 * Stores what pools hold at each full hour (UTC) before a final block, as of the last block before the hour: for the
 * first hour, and after states were dropped, of all pools with a state; later of those that changed in the last hour.
 */
export async function storeHours(options: HoursOptions, final: BlockPoint, ended: AbortSignal): Promise<void> {
  const { chain, store } = options
  await store.deleteInvalidHours()
  let before = await store.lastHour()
  const last = intervalStart(final.timestamp, HOUR_S)
  for (let time = before === null ? last : before.time + HOUR_S; time <= last; time += HOUR_S) {
    const { number } = await firstBlockSince(chain, final, time)
    const hour = { time, blockNumber: number - 1, since: before?.since ?? time }
    await storePools(options, hour, before?.blockNumber ?? -1, ended)
    before = { ...hour, pricesE18: await pricesAt(options, hour.blockNumber) }
    // Written last: readers ignore the rows of pools until this one is stored.
    await store.saveHour(before)
  }
}

async function storePools(
  { store, clock = systemClock }: HoursOptions,
  { time, blockNumber }: Omit<LiquidityHour, 'pricesE18'>,
  above: number,
  ended: AbortSignal,
): Promise<void> {
  let page: PoolAddress[] = []
  do {
    page = await store.poolsChanged({ above, to: blockNumber }, page.at(-1) ?? null, PAGE_POOLS)
    const market = createMarket(await store.poolsAt(blockNumber, page))
    const held = [...market.pools()].map((inState) => ({ pool: inState.pool.address, amounts: heldByCoin(inState) }))
    await store.savePoolHours(time, held)
    if (page.length === PAGE_POOLS) await clock.sleep(PAUSE_MS, ended)
    ended.throwIfAborted()
  } while (page.length === PAGE_POOLS)
}

async function pricesAt({ store, deployment, known }: HoursOptions, block: number): Promise<Map<Address, bigint>> {
  const isReference = referenceTest(deployment)
  const references = [...known.pools.values()].filter(isReference).map(({ address }) => address)
  const market = createMarket(await store.poolsAt(block, references))
  const prices = pricesOfStates(market.pools(), deployment, known.tokens.known())
  return new Map([...prices].map(([token, { priceE18 }]) => [token, priceE18]))
}
