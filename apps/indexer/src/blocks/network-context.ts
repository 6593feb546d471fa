import type { ReadHeader } from '@dexfeed/chain'
import {
  type BlockHeader,
  type BlockPoint,
  type Deployment,
  type Pool,
  type PoolAddress,
  ReferenceBook,
  type ReferenceChange,
  type ReferencePool,
} from '@dexfeed/dex'
import type { IndexerStore, PoolRow } from '@dexfeed/store'
import type { ContractCalls } from '../pools/contract-calls.ts'
import type { DroppedEvents } from '../pools/dropped-events.ts'
import type { KeyStore, SearchChain } from '../pools/manager-search.ts'
import type { PoolCache, PoolsAndTokens } from '../pools/pool-cache.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { headerAt } from './common-ancestor.ts'
import { BlockProcessor, type DroppedLogs, type ReceiptReader } from './process-blocks.ts'
import { type ReferenceCache, ReferenceHistory } from './reference-history.ts'
import { ReferencePools } from './reference-pools.ts'

type Store = Pick<IndexerStore, 'loadPools' | 'loadTokens'>

interface ContextChain extends ContractCalls, SearchChain, ReceiptReader {
  header: ReadHeader
}

export interface ContextOptions {
  ended?: AbortSignal
  onDropped?: ((logs: DroppedLogs) => void) | undefined
  keyStore?: KeyStore
  /** See ProcessorOptions. */
  countVenues?: boolean
  /** Events that any process of this indexer dropped. */
  dropped?: DroppedEvents | undefined
  /** Returns what another process reads of the reference pools for its first head; null: nothing. */
  references?: (() => Promise<ReferenceCache | null>) | undefined
  /** Receives the history of the reference pools read for the first head, to continue from it; null if that fails. */
  onReferences?: ((reading: Promise<Pick<ReferenceHistory, 'cache'> | null>) => void) | undefined
}

/** Everything that the follower and the workers of a network share within a process. */
export interface NetworkContext {
  registry: PoolRegistry
  known: PoolCache
  processor: BlockProcessor
  /** The pools that give prices. Refresh them before valuing trades. */
  references: Pick<ReferencePools, 'refresh' | 'pools' | 'version'>
  loadNew(): Promise<void>
  /** Returns the reference pools' state before a final block. Its cache suits a walk backwards in chunks. */
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  /** Like `bookBefore`, without the cache. `secondOpinion`: read from the least preferred endpoint first. */
  freshBookBefore(block: BlockPoint, options?: { secondOpinion?: boolean }): Promise<ReferenceBook>
  /** Returns their state after a block that may be rolled back. The book can roll back to the final block. */
  bookAfter(head: BlockHeader, finalNumber: number): Promise<ReferenceBook>
  /** Returns a book without any state, by which nothing has a price. */
  emptyBook(): ReferenceBook
}

/** Loads the stored pools and tokens of a network and requests the reference pools from the factories. */
export async function openNetworkContext(
  chain: ContextChain,
  store: Store,
  deployment: Deployment,
  {
    onDropped,
    countVenues,
    references: given = async () => null,
    onReferences = () => undefined,
    ...options
  }: ContextOptions = {},
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
  let history = new ReferenceHistory(chain, deployment)
  /** The last read of `history`; null before the first. A read extends the cache, so they run one after the other. */
  let turn: Promise<unknown> | null = null
  const continueOther = async () => {
    const cache = await given()
    if (cache !== null) history = new ReferenceHistory(chain, deployment, { cache })
  }
  return {
    registry,
    known,
    processor: new BlockProcessor(deployment, registry, chain, {
      onDropped,
      countVenues,
      onReference: (pool) => references.expect(pool),
    }),
    references,
    loadNew: async () => known.addStored(await loadKnown(store, deployment)),
    bookBefore({ number, timestamp }) {
      const before = turn ?? continueOther()
      const book = before.then(() => bookOf((pools) => history.changesUpTo(pools, number - 1, timestamp)))
      turn = book.catch(() => undefined)
      return book
    },
    freshBookBefore({ number, timestamp }, { secondOpinion } = {}) {
      const fresh = new ReferenceHistory(chain, deployment, { secondOpinion })
      return bookOf((pools) => fresh.changesUpTo(pools, number - 1, timestamp))
    },
    async bookAfter(head, finalNumber) {
      const fresh = new ReferenceHistory(chain, deployment)
      const last = Math.min(finalNumber, head.number)
      const read = async () => {
        const { timestamp } = last < head.number ? await headerAt(chain, last) : head
        return bookOf((pools) => fresh.changesUpTo(pools, last, timestamp))
      }
      const reading = read()
      if (turn === null) {
        // The walk backwards begins below the final block: it continues this read.
        history = fresh
        const outcome = reading.then(
          () => fresh,
          () => null,
        )
        turn = outcome
        onReferences(outcome)
      }
      const book = await reading
      book.rememberSince(last)
      const from = last + 1
      const to = head.number
      const branch = { from, hash: head.hash }
      const changes = from > to ? [] : await fresh.changesIn(book.pools(), { from, to }, branch)
      for (const { pool, event, block } of changes) book.record(pool, event, block)
      return book
    },
    emptyBook: () => new ReferenceBook(references.config, references.pools),
  }
}

/** Makes the pools known that history has found, in any process, and returns them. */
export async function learnFound(
  store: Store & Pick<IndexerStore, 'foundPools'>,
  deployment: Deployment,
  known: PoolCache,
): Promise<readonly PoolAddress[]> {
  const found = await store.foundPools()
  await learnStored(store, deployment, known, found)
  return found
}

/** Makes known those of these pools that are stored. */
export async function learnStored(
  store: Store,
  deployment: Deployment,
  known: PoolCache,
  addresses: readonly PoolAddress[],
): Promise<void> {
  const unknown = addresses.filter((pool) => !known.isSaved(pool))
  const pools = unknown.length === 0 ? [] : configured(await store.loadPools(unknown), deployment)
  if (pools.length === 0) return
  const tokens = new Set(pools.flatMap((pool) => known.tokensOf(pool)))
  known.addStored({ pools, tokens: await store.loadTokens([...tokens]) })
}

/** Loads all tokens, and the stored pools of configured DEXes. */
export async function loadKnown(store: Store, deployment: Deployment): Promise<PoolsAndTokens> {
  const pools = configured(await store.loadPools(), deployment)
  // Load tokens after the pools: a pool is stored together with its tokens, so no token of these pools is missing.
  return { pools, tokens: await store.loadTokens() }
}

function configured(stored: readonly PoolRow[], { dexes }: Deployment): Pool[] {
  return stored.flatMap(({ factory, ...pool }) => {
    const dex = dexes.find((dex) => dex.factory === factory)
    return dex === undefined ? [] : [{ ...pool, dex }]
  })
}
