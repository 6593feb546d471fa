import type { Hex } from '@dexfeed/dex'
import type { Artifacts } from './artifacts.ts'
import { type BotContext, tokenNow } from './bot-context.ts'
import type { DevnetContracts } from './contracts.ts'
import { sqrtPrice, toX96 } from './prices.ts'
import type { DevTransaction } from './session.ts'

/** Deviation of a price that is not worth an arbitrageur's while beyond the pool's fee, in millionths. */
const TOLERANCE = 1_000

/** Tells the price keeper's contract which pools to watch. */
export function watchPools({ contracts, artifacts }: { contracts: DevnetContracts; artifacts: Artifacts }): Hex {
  // A square root moves half as much as the price.
  const watched = contracts.pools.map(({ address, tickSpacing, fee }) => {
    return [address, tickSpacing !== null, Math.round((fee + TOLERANCE) / 2)]
  })
  return artifacts.priceKeeper.abi.encodeFunctionData('watch', [watched]) as Hex
}

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
