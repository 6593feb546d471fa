import type { Chain } from '@dexfeed/chain'
import { type Address, type Deployment, protocolOf } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { loadKnownPools } from './network-context.ts'
import { PoolRegistry } from './pool-registry.ts'

/** Pools that are asked about at a time. */
const BATCH = 500

/** The stored pools that no factory vouches for any more: they were made on a branch that the chain left. */
export async function gonePools(
  chain: Pick<Chain, 'callMany'>,
  store: Pick<IndexerStore, 'loadPools' | 'loadTokens'>,
  deployment: Deployment,
): Promise<Address[]> {
  const [pools, tokens] = await Promise.all([loadKnownPools(store, deployment), store.loadTokens()])
  const registry = new PoolRegistry(chain, deployment, { pools: [], tokens })
  const claims = pools.flatMap(({ address, dex }) => {
    const family = protocolOf(dex.kind)?.family
    return family === undefined ? [] : [{ pool: address, family }]
  })
  for (let start = 0; start < claims.length; start += BATCH) {
    await registry.resolve(claims.slice(start, start + BATCH), 'latest')
  }
  return claims.map(({ pool }) => pool).filter((pool) => !registry.pools.has(pool))
}
