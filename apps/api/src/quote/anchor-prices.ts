import { setImmediate as turn } from 'node:timers/promises'
import {
  everyAnchor,
  type Market,
  NEAR_TICKS,
  type PoolInState,
  ReferenceBook,
  type ReferenceChange,
  type ReferenceEvent,
  type ReferencePool,
  type Token,
} from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** Length of a contract's address as text. Pools inside of managers have longer ids and are not reference pools. */
const CONTRACT_LENGTH = 42

/** Pools per turn of the event loop: a few milliseconds of work. */
const STEP = 2_000

/**
 * Returns the current prices of all anchors, from the states of their reference pools in a market.
 *
 * @param settled waits until the whole market is as of one block
 */
export async function anchorPrices(
  market: Market,
  {
    wrappedNative,
    stablecoins,
    anchors,
    head,
  }: Pick<IndexedNetwork, 'wrappedNative' | 'stablecoins' | 'anchors' | 'head'>,
  tokens: readonly Token[],
  settled: () => Promise<void> | null = () => null,
): Promise<ReturnType<typeof everyAnchor>> {
  const decimals = new Map(tokens.flatMap(({ address, decimals: of }) => (of === null ? [] : [[address, of] as const])))
  const others = anchors.filter((token) => !stablecoins.includes(token))
  // The market is as of one block, so its states count without any settling time.
  const config = { wrappedNative, stablecoins, anchors: others, decimals, settlingBlocks: 1, hourBlocks: 1 }
  const kind = new ReferenceBook(config, [])
  const pools: ReferencePool[] = []
  const changes: ReferenceChange[] = []
  // A state that has not changed since is still the current one.
  const timestamp = head?.timestamp ?? 0
  const block = { number: 0, timestamp }
  let looked = 0
  for (const one of market.pools()) {
    const { address, token0, token1 } = one.pool
    if (++looked % STEP === 0) await turn().then(settled)
    if (one.state === null || address.length !== CONTRACT_LENGTH || !kind.isReference(one.pool)) continue
    pools.push({ address, token0, token1, tickSpacing: 1 })
    for (const event of liquidityOf(one)) changes.push({ pool: address, block, event })
    changes.push({ pool: address, block, event: { type: 'price', state: one.state } })
  }
  return everyAnchor(new ReferenceBook(config, pools, changes).pricesAt({ number: 1, timestamp }))
}

/** Returns the liquidity near a pool's price, as one event per range of ticks. */
function liquidityOf({ state, ticks }: Pick<PoolInState, 'state' | 'ticks'>): ReferenceEvent[] {
  const events: ReferenceEvent[] = []
  if (ticks === null || state?.kind !== 'concentrated') return events
  let [tickLower, delta] = [0, 0n]
  for (let index = 0; index < ticks.size; index++) {
    const tickUpper = ticks.tickAt(index) as number
    const isNear = tickUpper > state.tick - NEAR_TICKS && tickLower <= state.tick + NEAR_TICKS
    if (delta > 0n && isNear) events.push({ type: 'liquidity', tickLower, tickUpper, delta })
    tickLower = tickUpper
    delta += ticks.netAt(index)
  }
  return events
}
