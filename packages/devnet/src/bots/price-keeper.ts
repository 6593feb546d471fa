import type { Hex } from '@dexfeed/dex'
import { sqrtPrice, toX96 } from '../deployment/liquidity.ts'
import type { DevTransaction } from '../node/session.ts'
import { type BotContext, tokenNow } from './bot-context.ts'

/** Brings the pool that strays most from the reference prices back to them. */
export function createPriceKeeper(context: BotContext): () => DevTransaction {
  const { contracts, artifacts, accounts } = context
  return () => {
    const targets = contracts.pools.map(({ token0, token1 }) =>
      toX96(sqrtPrice(tokenNow(context, token0), tokenNow(context, token1))),
    )
    const data = artifacts.priceKeeper.abi.encodeFunctionData('rebalance', [targets]) as Hex
    return { from: accounts.keeper, to: contracts.priceKeeper, data }
  }
}
