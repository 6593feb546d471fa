import { setImmediate as turn } from 'node:timers/promises'
import {
  type Address,
  type AnchorPrice,
  type Market,
  type PoolAddress,
  pricesOfStates,
  referenceTest,
  type Token,
} from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** Pools per turn of the event loop, which take a few milliseconds. */
const STEP = 2_000

/** Returns the current prices of all anchors. @param settled resolves when the whole market is as of one block */
export async function anchorPrices(
  market: Market,
  network: IndexedNetwork,
  tokens: readonly Pick<Token, 'address' | 'decimals'>[],
  settled: () => Promise<void> | null = () => null,
): Promise<ReadonlyMap<Address, AnchorPrice>> {
  const pools = await referencePools(market, network, settled)
  return pricesOfStates(
    pools.flatMap((pool) => market.pool(pool) ?? []),
    network,
    tokens,
  )
}

export async function referencePools(
  market: Market,
  network: IndexedNetwork,
  settled: () => Promise<void> | null = () => null,
): Promise<PoolAddress[]> {
  const isReference = referenceTest(network)
  const found: PoolAddress[] = []
  let checked = 0
  for (const { pool } of market.pools()) {
    if (++checked % STEP === 0) await turn().then(settled)
    if (isReference(pool)) found.push(pool.address)
  }
  return found
}
