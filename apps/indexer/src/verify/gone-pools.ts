import type { Chain } from '@dexfeed/chain'
import { type Deployment, type PoolAddress, protocolOf } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { loadKnown } from '../blocks/network-context.ts'
import { EmitterVerifier } from '../pools/emitter-verifier.ts'

/** Pools that are asked about at a time. */
const BATCH = 500

/**
 * The stored pools that their factory does not confirm: they were made on a branch that is orphaned. Pools that are not
 * proven by a factory alone are not asked about.
 */
export async function gonePools(
  chain: Pick<Chain, 'callMany' | 'callElsewhere'>,
  store: Pick<IndexerStore, 'loadPools' | 'loadTokens'>,
  deployment: Deployment,
): Promise<PoolAddress[]> {
  const candidates = (await loadKnown(store, deployment)).pools.flatMap(({ address, dex }) => {
    const protocol = protocolOf(dex.kind)
    return protocol.identity.by === 'factory' ? [{ pool: address, family: protocol.family, events: [] }] : []
  })
  const verifier = new EmitterVerifier(chain, deployment.dexes)
  const gone: PoolAddress[] = []
  for (let start = 0; start < candidates.length; start += BATCH) {
    gone.push(...(await verifier.verify(candidates.slice(start, start + BATCH), 'latest')).denied)
  }
  return gone
}
