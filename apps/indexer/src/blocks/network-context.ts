import type { Chain } from '@dexfeed/chain'
import {
  type BlockHeader,
  type BlockPoint,
  type Deployment,
  ReferenceBook,
  type ReferenceChange,
  type ReferencePool,
} from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import type { KeyStore } from '../pools/manager-search.ts'
import type { PoolCache, PoolsAndTokens } from '../pools/pool-cache.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { headerAt } from './common-ancestor.ts'
import { BlockProcessor, type DroppedLogs } from './process-blocks.ts'
import { ReferenceHistory } from './reference-history.ts'
import { ReferencePools } from './reference-pools.ts'

type Store = Pick<IndexerStore, 'loadPools' | 'loadTokens'>

export interface ContextOptions {
  /** Ends what the registry does in the background. */
  ended?: AbortSignal
  /** Is called with logs that make nothing. */
  onDropped?: ((logs: DroppedLogs) => void) | undefined
  /** Where keys of pools are kept that were met; default: in memory. */
  keyStore?: KeyStore
}

/** What follower and workers of a network share within a process. */
export interface NetworkContext {
  registry: PoolRegistry
  /** The registry's. */
  known: PoolCache
  processor: BlockProcessor
  /** The pools that give prices: whoever values trades looks for them first. */
  references: Pick<ReferencePools, 'refresh' | 'pools' | 'version'>
  /** Takes up pools and tokens that other processes have stored. */
  loadNew(): Promise<void>
  /** The reference pools' states before a final block; remembers what it read, best for walking back chunk by chunk. */
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  /** The same, and nothing is remembered. */
  freshBookBefore(block: BlockPoint): Promise<ReferenceBook>
  /** Their states after a block that may be rolled back, on just its branch; the book rolls back to the final one. */
  bookAfter(head: BlockHeader, finalNumber: number): Promise<ReferenceBook>
  /** A book without any state: by it nothing has a price. */
  emptyBook(): ReferenceBook
}

/** Loads what the database knows of a network and asks the factories for the reference pools. */
export async function openNetworkContext(
  chain: Chain,
  store: Store,
  deployment: Deployment,
  { onDropped, ...options }: ContextOptions = {},
): Promise<NetworkContext> {
  const stored = await loadKnown(store, deployment)
  const registry = new PoolRegistry(chain, deployment, stored, options)
  const { known } = registry
  const references = new ReferencePools(chain, deployment, registry)
  await references.refresh()
  const bookOf = async (read: (pools: readonly ReferencePool[]) => Promise<ReferenceChange[]>) => {
    await references.refresh()
    const { config, pools } = references
    return new ReferenceBook(config, pools, await read(pools))
  }
  const history = new ReferenceHistory(chain, deployment)
  let turn: Promise<unknown> = Promise.resolve()
  return {
    registry,
    known,
    processor: new BlockProcessor(deployment, registry, chain, {
      onDropped,
      onReference: (pool) => references.expect(pool),
    }),
    references,
    loadNew: async () => known.addStored(await loadKnown(store, deployment)),
    bookBefore({ number, timestamp }) {
      // The history extends itself while it is asked: one question at a time.
      const book = turn.then(() => bookOf((pools) => history.changesUpTo(pools, number - 1, timestamp)))
      turn = book.catch(() => undefined)
      return book
    },
    freshBookBefore({ number, timestamp }) {
      const fresh = new ReferenceHistory(chain, deployment)
      return bookOf((pools) => fresh.changesUpTo(pools, number - 1, timestamp))
    },
    async bookAfter(head, finalNumber) {
      const fresh = new ReferenceHistory(chain, deployment)
      const final = finalNumber < head.number ? await headerAt(chain, finalNumber) : head
      const book = await bookOf((pools) => fresh.changesUpTo(pools, final.number, final.timestamp))
      book.rememberSince(final.number)
      const [from, to] = [final.number + 1, head.number]
      const branch = { from, hash: head.hash }
      const changes = from > to ? [] : await fresh.changesIn(book.pools(), { from, to }, branch)
      for (const { pool, event, block } of changes) book.record(pool, event, block)
      return book
    },
    emptyBook: () => new ReferenceBook(references.config, references.pools),
  }
}

/** The stored pools whose DEX is configured, and all tokens. */
export async function loadKnown(store: Store, deployment: Deployment): Promise<PoolsAndTokens> {
  const stored = await store.loadPools()
  const pools = stored.flatMap(({ factory, ...pool }) => {
    const dex = deployment.dexes.find((one) => one.factory === factory)
    return dex === undefined ? [] : [{ ...pool, dex }]
  })
  // After the pools: a pool is stored with its tokens, so none of theirs is missing.
  return { pools, tokens: await store.loadTokens() }
}
