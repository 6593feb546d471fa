import {
  everyAnchor,
  heldAmounts,
  heldE8,
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
import { pacer } from './in-steps.ts'
import type { NetworkFigures } from './network-figures.ts'

/** A contract's address: pools inside of managers have longer ones, and are no reference. */
const CONTRACT_LENGTH = 42

/** What looking for a pool and its tokens among the figures takes, in items that are looked at. */
const FINDING = 4

/**
 * Adds the money in a market's pools to the figures of these and of their tokens, in USD times 10^8 and by docs/usd.md:
 * the anchors in them at the prices that their reference pools have now.
 *
 * @param anchors the tokens with a trusted price
 * @param settled waits until the market stands as of one block
 */
export async function addLiquidity(
  { network, tokens, pools }: NetworkFigures,
  market: Market,
  anchors: readonly Token[],
  settled: () => Promise<void> | null,
): Promise<void> {
  const prices = await anchorPrices(market, network, anchors, settled)
  const pause = pacer()
  for (const one of market.pools()) {
    const { pool, ticks } = one
    const { token0, token1 } = pool
    const turned = pause(FINDING + (ticks?.size ?? 0))
    if (turned) await turned.then(settled)
    if (!prices.has(token0) && !prices.has(token1)) continue
    const held = heldAmounts(one)
    const worth = held && heldE8(pool, held, prices)
    if (worth === null) continue
    pools.addLiquidity(pool.address, worth)
    for (const token of token0 === token1 ? [token0] : [token0, token1]) tokens.addLiquidity(token, worth)
  }
}

async function anchorPrices(
  market: Market,
  { wrappedNative, stablecoins, anchors, head }: IndexedNetwork,
  tokens: readonly Token[],
  settled: () => Promise<void> | null,
): Promise<ReturnType<typeof everyAnchor>> {
  const decimals = new Map(tokens.flatMap(({ address, decimals: of }) => (of === null ? [] : [[address, of] as const])))
  const others = anchors.filter((token) => !stablecoins.includes(token))
  // The market is that of one block: what stands in it counts as it is.
  const config = { wrappedNative, stablecoins, anchors: others, decimals, settlingBlocks: 1, hourBlocks: 1 }
  const kind = new ReferenceBook(config, [])
  const pools: ReferencePool[] = []
  const changes: ReferenceChange[] = []
  // A state that nothing has moved since is the one of now.
  const timestamp = head?.timestamp ?? 0
  const pause = pacer()
  for (const one of market.pools()) {
    const { address, token0, token1 } = one.pool
    const turned = pause()
    if (turned) await turned.then(settled)
    if (one.state === null || address.length !== CONTRACT_LENGTH || !kind.isReference(one.pool)) continue
    pools.push({ address, token0, token1, tickSpacing: 1 })
    const block = { number: 0, timestamp }
    for (const event of liquidityOf(one)) changes.push({ pool: address, block, event })
    changes.push({ pool: address, block, event: { type: 'price', state: one.state } })
  }
  return everyAnchor(new ReferenceBook(config, pools, changes).pricesAt({ number: 1, timestamp }))
}

/** What stands in a pool near its price, as if it were put in range by range. */
function liquidityOf({ state, ticks }: Pick<PoolInState, 'state' | 'ticks'>): ReferenceEvent[] {
  const events: ReferenceEvent[] = []
  if (ticks === null || state?.kind !== 'concentrated') return events
  let [tickLower, delta] = [0, 0n]
  ticks.forEach((tickUpper, net) => {
    const isNear = tickUpper > state.tick - NEAR_TICKS && tickLower <= state.tick + NEAR_TICKS
    if (delta > 0n && isNear) events.push({ type: 'liquidity', tickLower, tickUpper, delta })
    tickLower = tickUpper
    delta += net
  })
  return events
}
