import type { Chain } from '@dexfeed/chain'
import { type Deployment, type PoolAddress, protocolOf } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { loadKnown } from '../blocks/network-context.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'

/** Pools that are asked about at a time. */
const BATCH = 500

/**
 * The stored pools that their factory no longer vouches for: they were made on a branch that the chain left. Of pools
 * that are not proven by a factory alone this is not asked.
 */
export async function gonePools(
  chain: Pick<Chain, 'callMany' | 'head' | 'logsOf'>,
  store: Pick<IndexerStore, 'loadPools' | 'loadTokens'>,
  deployment: Deployment,
): Promise<PoolAddress[]> {
  const { pools, tokens } = await loadKnown(store, deployment)
  const registry = new PoolRegistry(chain, deployment, { pools: [], tokens })
  const candidates = pools.flatMap(({ address, dex }) => {
    const protocol = protocolOf(dex.kind)
    return protocol.identity.by === 'factory' ? [{ pool: address, family: protocol.family, events: [] }] : []
  })
  for (let start = 0; start < candidates.length; start += BATCH) {
    await registry.resolveCandidates(candidates.slice(start, start + BATCH), 'latest')
  }
  return candidates.map(({ pool }) => pool).filter((pool) => !registry.pools.has(pool))
}
