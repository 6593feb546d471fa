import { parseDexConfig } from '@dexfeed/dex'
import type { IndexedChain } from '@dexfeed/test/expected/rows'
import type { MadeWorld } from '../chain/made/made-chain.ts'
import { deploymentOf } from '../chain/made/market.ts'

/**
 * Converts a made chain, up to its first head, to the input of `expectedRows`.
 *
 * @param headTime of that head, in seconds since 1970
 */
export function expectedChain(world: MadeWorld, headTime: number): IndexedChain {
  const { plan, market, first, firstHead } = world
  const { network } = plan
  const { deployments } = parseDexConfig(JSON.stringify({ [network]: deploymentOf(market, plan.shape.finalityDepth) }))
  const deployment = deployments[network]
  if (deployment === undefined) throw new Error(`nothing of ${network} is deployed`)
  const tokens = market.pools.flatMap(({ token0, token1 }) => [token0, token1])
  const blocks = Array.from({ length: firstHead - first + 1 }, (_, i) => {
    const number = first + i
    let logs = 0
    const transactions = world.draft(number).map((draft, index) => ({
      hash: world.transactionHash(number, index),
      index,
      from: draft.from,
      value: draft.value,
      logs: draft.logs.map(({ address, topics, data }) => ({ address, topics: [...topics], data, index: logs++ })),
    }))
    return { number, timestamp: world.timeOf(number, headTime), transactions }
  })
  return {
    network,
    deployment,
    tokens: new Map(tokens.map(({ address, symbol, decimals }) => [address, { name: symbol, symbol, decimals }])),
    pools: new Map(
      market.pools
        .filter((pool) => market.confirms(pool))
        .map(({ address, kind, token0, token1, fee }) => [
          address,
          { address, kind, dex: kind, token0: token0.address, token1: token1.address, fee },
        ]),
    ),
    blocks,
  }
}
