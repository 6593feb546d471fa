import { heldAmounts, heldE8, type Market, type Token } from '@dexfeed/dex'
import { anchorPrices } from '../../quote/anchor-prices.ts'
import { pacer } from './in-steps.ts'
import type { NetworkFigures } from './network-figures.ts'

/** The work of finding a pool and its tokens among the figures, in items. */
const FINDING = 4

/**
 * Adds the value of a market's pools to the figures of the pools and their tokens, in USD times 10^8. Only anchors
 * count, at the current prices of their reference pools (docs/internals/usd.md).
 *
 * @param anchors the tokens with a trusted price
 * @param settled waits until the market is as of one block
 */
export async function addLiquidity(
  { network, tokens, pools }: NetworkFigures,
  market: Market,
  anchors: readonly Token[],
  settled: () => Promise<void> | null,
): Promise<void> {
  const prices = await anchorPrices(market, network, anchors, settled)
  const pause = pacer()
  for (const poolInState of market.pools()) {
    const { pool, ticks } = poolInState
    const { token0, token1 } = pool
    const turned = pause(FINDING + (ticks === null ? 0 : ticks.size))
    if (turned) await turned.then(settled)
    if (!prices.has(token0) && !prices.has(token1)) continue
    const held = heldAmounts(poolInState)
    const worth = held && heldE8(pool, held, prices)
    if (worth === null) continue
    pools.addLiquidity(pool.address, worth)
    for (const token of token0 === token1 ? [token0] : [token0, token1]) tokens.addLiquidity(token, worth)
  }
}
