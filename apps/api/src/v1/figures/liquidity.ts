import { heldAmounts, heldE8, type Market, type Token } from '@dexfeed/dex'
import { anchorPrices } from '../../quote/anchor-prices.ts'
import { pacer } from './in-steps.ts'
import type { NetworkFigures } from './network-figures.ts'

/** What looking for a pool and its tokens among the figures takes, in items that are looked at. */
const FINDING = 4

/**
 * Adds the money in a market's pools to the figures of these and of their tokens, in USD times 10^8 and by docs/internals/usd.md:
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
