import type { Chain } from '@dexfeed/chain'
import { type Deployment, type Pool, ReferenceBook } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { PoolRegistry } from './pool-registry.ts'
import { BlockProcessor } from './process-blocks.ts'
import { ReferenceHistory } from './reference-history.ts'
import { findReferencePools } from './reference-pools.ts'

type Store = Pick<IndexerStore, 'loadPools' | 'loadTokens'>

/** What follower and workers of a network share within a process. */
export interface NetworkContext {
  registry: PoolRegistry
  processor: BlockProcessor
  /** How many pools tell prices. */
  references: number
  /** The reference pools' states before a final block; remembers what it read, best for walking back chunk by chunk. */
  bookBefore(block: BlockPlace): Promise<ReferenceBook>
  /** The same before a block that the chain may take back: nothing is remembered. */
  freshBookBefore(block: BlockPlace): Promise<ReferenceBook>
  /** A book without any state: by it nothing has a price. */
  emptyBook(): ReferenceBook
}

interface BlockPlace {
  number: number
  timestamp: number
}

/**
 * Loads what the database knows of a network and asks the factories for the reference pools.
 *
 * @param ended ends what the registry does in the background
 */
export async function openNetworkContext(
  chain: Chain,
  store: Store,
  deployment: Deployment,
  ended?: AbortSignal,
): Promise<NetworkContext> {
  const [pools, tokens] = await Promise.all([loadKnownPools(store, deployment), store.loadTokens()])
  const registry = new PoolRegistry(chain, deployment, { pools, tokens }, ended === undefined ? {} : { ended })
  const references = await findReferencePools(chain, deployment, registry)
  const bookOf = async (history: ReferenceHistory, { number, timestamp }: BlockPlace) => {
    const states = await history.statesBefore(references.pools, number, timestamp)
    return new ReferenceBook(references.config, references.pools, states)
  }
  const history = new ReferenceHistory(chain, deployment)
  let turn: Promise<unknown> = Promise.resolve()
  return {
    registry,
    processor: new BlockProcessor(deployment, registry, chain),
    references: references.pools.length,
    bookBefore(block) {
      // The history extends itself while it is asked: one question at a time.
      const book = turn.then(() => bookOf(history, block))
      turn = book.catch(() => undefined)
      return book
    },
    freshBookBefore: (block) => bookOf(new ReferenceHistory(chain, deployment), block),
    emptyBook: () => new ReferenceBook(references.config, references.pools),
  }
}

/** The stored pools whose DEX is configured. */
export async function loadKnownPools(store: Pick<Store, 'loadPools'>, deployment: Deployment): Promise<Pool[]> {
  const pools = await store.loadPools()
  return pools.flatMap(({ factory, ...pool }) => {
    const dex = deployment.dexes.find((one) => one.factory === factory)
    return dex === undefined ? [] : [{ ...pool, dex }]
  })
}
