import {
  type Address,
  type BlockHeader,
  type BlockPoint,
  type Deployment,
  type Pool,
  type PoolAddress,
  ReferenceBook,
  type ReferenceChange,
  type ReferencePool,
  type Token,
} from '@dexfeed/dex'
import type { PoolRow } from '@dexfeed/store'
import type { ContractCaller } from '../pools/contract-calls.ts'
import type { DroppedEvents } from '../pools/dropped-events.ts'
import type { KeyStore, SearchedChain } from '../pools/manager-search.ts'
import type { PoolCache, PoolsAndTokens } from '../pools/pool-cache.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { headerAt } from './common-ancestor.ts'
import { BlockProcessor, type DroppedLogs, type ReceiptReader } from './process-blocks.ts'
import { type LogSource, type ReferenceCache, ReferenceHistory } from './reference-history.ts'
import { ReferencePools } from './reference-pools.ts'
import { VenueCounts } from './venue-counts.ts'

export interface PoolStore {
  loadPools(addresses?: readonly PoolAddress[]): Promise<PoolRow[]>
  loadTokens(addresses?: readonly Address[]): Promise<Token[]>
}

export interface ReadReferences {
  readonly cache: ReferenceCache
}

export interface ContextChain extends ContractCaller, SearchedChain, LogSource, ReceiptReader {}

export interface ContextOptions {
  ended?: AbortSignal
  onDropped?: ((logs: DroppedLogs) => void) | undefined
  keyStore?: KeyStore
  /** Off by default, because counting parses the receipts of one block in eight. */
  countVenues?: boolean
  dropped?: DroppedEvents | undefined
  references?: (() => Promise<ReferenceCache | null>) | undefined
  /** Receives a promise of what was read for the first head, or of null if reading failed. */
  onReferences?: ((reading: Promise<ReadReferences | null>) => void) | undefined
}

/** With `secondOpinion`, the read starts with the least preferred endpoint. */
export type FreshBookBefore = (block: BlockPoint, options?: { secondOpinion?: boolean }) => Promise<ReferenceBook>

export interface NetworkContext {
  registry: PoolRegistry
  known: PoolCache
  processor: BlockProcessor
  references: ReferencePools
  venues: VenueCounts
  loadNew(): Promise<void>
  /** Returns the prices before a final block. Its cache makes descending blocks cheap. */
  bookBefore(block: BlockPoint): Promise<ReferenceBook>
  freshBookBefore: FreshBookBefore
  /** Returns the prices after a block that may be rolled back. The book can roll back to the final block. */
  bookAfter(head: BlockHeader, finalNumber: number): Promise<ReferenceBook>
  emptyBook(): ReferenceBook
}

export async function openNetworkContext(
  chain: ContextChain,
  store: PoolStore,
  deployment: Deployment,
  {
    onDropped,
    countVenues = false,
    references: given = async () => null,
    onReferences = () => undefined,
    ...options
  }: ContextOptions = {},
): Promise<NetworkContext> {
  const stored = await loadKnown(store, deployment)
  const registry = new PoolRegistry(chain, deployment, stored, options)
  const { known } = registry
  const venues = new VenueCounts(deployment.wrappedNative)
  const references = new ReferencePools(chain, deployment, registry)
  await references.refresh()
  const bookOf = async (read: (pools: readonly ReferencePool[]) => Promise<ReferenceChange[]>) => {
    await references.refresh()
    const { config, pools } = references
    return new ReferenceBook(config, pools, await read(pools))
  }
  let history = new ReferenceHistory(chain, deployment)
  /** Reads extend the cache of `history`, so they run one after the other. */
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
      references,
      venues: countVenues ? venues : undefined,
    }),
    references,
    venues,
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

export async function learnFound(
  store: PoolStore & { foundPools(): Promise<PoolAddress[]> },
  deployment: Deployment,
  known: PoolCache,
): Promise<readonly PoolAddress[]> {
  const found = await store.foundPools()
  await learnStored(store, deployment, known, found)
  return found
}

export async function learnStored(
  store: PoolStore,
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

export async function loadKnown(store: PoolStore, deployment: Deployment): Promise<PoolsAndTokens> {
  const pools = configured(await store.loadPools(), deployment)
  // A pool is stored with its tokens, so none is missing.
  return { pools, tokens: await store.loadTokens() }
}

function configured(stored: readonly PoolRow[], { dexes }: Deployment): Pool[] {
  return stored.flatMap(({ factory, ...pool }) => {
    const dex = dexes.find((dex) => dex.factory === factory)
    return dex === undefined ? [] : [{ ...pool, dex }]
  })
}
