import type { Chain, MinedTransaction } from '@dexfeed/chain'
import {
  type Address,
  type Block,
  type BlockHeader,
  type BlockPoint,
  type Deployment,
  type DropReason,
  decode,
  decodersOf,
  type EventDecoder,
  emittersOf,
  type Hex,
  type Hop,
  type Log,
  NETWORKS,
  type NetworkName,
  orderTopics,
  type PoolAddress,
  type PricedTrade,
  type ReceiptFlows,
  receiptFlows,
  type Token,
  tokensOf,
  WITHOUT_TOPIC,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import { type NetworkContext, openNetworkContext } from '../blocks/network-context.ts'
import { type Processed, watchedTopics } from '../blocks/process-blocks.ts'
import type { LogSource } from '../blocks/reference-history.ts'
import { KeysNotFound } from '../pools/manager-search.ts'
import { isTrade, KeysNotFoundYet } from '../pools/pool-registry.ts'

export interface Explanation {
  hash: Hex
  block: BlockHeader
  transactionIndex: number
  /** Null if no account signed the transaction. */
  trader: Address | null
  succeeded: boolean
  hops: readonly Hop[]
  trades: readonly PricedTrade[]
  dropped: readonly DroppedLog[]
  flows: ReceiptFlows
}

export type LogDropReason = DropReason | 'not-moved' | 'not-authentic' | 'malformed'

export interface DroppedLog {
  logIndex: number
  /** For a malformed log, the emitter. */
  pool: PoolAddress
  reason: LogDropReason
}

interface Unexplained {
  hash: Hex
  problem: string
}

export type TokenOf = (address: Address) => Token | undefined

const PART = 250

/** Empty, so that every pool is verified. */
const NO_STORE = { loadPools: async () => [], loadTokens: async () => [] }

export interface Explainer {
  /** Yields a problem for an unreadable transaction. Throws if the node fails. */
  explain(hashes: readonly Hex[]): AsyncGenerator<Explanation | Unexplained>
  token: TokenOf
}

export async function openExplainer(chain: Chain, deployment: Deployment): Promise<Explainer> {
  let place = { number: 0, timestamp: 0 }
  const partly: Chain = { ...chain, ...sparseChain(chain, deployment.network, () => place) }
  const context = await openNetworkContext(partly, NO_STORE, deployment)
  const anchors = new Set([ZERO_ADDRESS, deployment.wrappedNative, ...deployment.stablecoins, ...deployment.anchors])
  const { wrappedNative, settlements = [] } = deployment
  const orders = new Set(orderTopics(settlements))
  // Without anchors or orders, a block needs no prices.
  const isOrder = ({ topics: [topic = '0x'] }: Log) => orders.has(topic)
  const tradesAnchor = (address: PoolAddress) => {
    const pool = context.known.pools.get(address)
    return pool !== undefined && tokensOf(pool).some((token) => anchors.has(token))
  }
  const isWatched = watch(deployment)
  const decoders = decodersOf(deployment.dexes.map(({ kind }) => kind))

  async function explainPart(hashes: readonly Hex[]): Promise<Map<Hex, Explanation>> {
    const unique = [...new Set(hashes)]
    const mined = (await chain.transactions(unique)).filter((each) => each !== null)
    const blocks = blocksOf(mined, isWatched).map((each) => ({ ...each, events: decode(each.block, decoders).events }))
    await context.registry
      .resolve(
        blocks.flatMap(({ events }) => events),
        'latest',
      )
      .catch(ignoreMissingKeys)
    const explained = new Map<Hex, Explanation>()
    // Newest blocks first: reading prices backwards is cheapest.
    for (const { block, events, transactions } of blocks) {
      place = block
      const mayHaveValue = block.logs.some(isOrder) || events.some(({ pool }) => tradesAnchor(pool))
      const book = await (mayHaveValue ? context.bookBefore(block) : context.emptyBook())
      const processed = await context.processor.process([block], book, 'latest', { deferKeys: true })
      for (const minedTransaction of transactions) {
        explained.set(
          minedTransaction.transaction.hash,
          explanationOf(minedTransaction, block, processed, { context, decoders, wrappedNative }),
        )
      }
    }
    return explained
  }

  return {
    token: (address) => context.known.tokens.get(address),
    async *explain(hashes) {
      for (let from = 0; from < hashes.length; from += PART) {
        const part = hashes.slice(from, from + PART)
        const explained = await explainPart(part)
        for (const hash of part) {
          yield explained.get(hash) ?? {
            hash,
            problem: 'the node does not know this transaction, or it is not mined yet',
          }
        }
      }
    },
  }
}

interface RequestedBlock {
  block: Block
  transactions: readonly MinedTransaction[]
}

function watch(deployment: Deployment): (log: Log) => boolean {
  const topics = new Set(watchedTopics(deployment))
  const emitters = new Set(emittersOf(deployment.dexes))
  return ({ address, topics: [first] }) => (first === undefined ? emitters.has(address) : topics.has(first))
}

/** Returns blocks as a range read would, but newest first. */
function blocksOf(mined: readonly MinedTransaction[], isWatched: (log: Log) => boolean): RequestedBlock[] {
  const headers = new Map(mined.map(({ block }) => [block.hash, block]))
  return [...headers.values()]
    .sort((a, b) => b.number - a.number)
    .map((header) => {
      const transactions = mined
        .filter(({ block }) => block.hash === header.hash)
        .sort((a, b) => a.transactionIndex - b.transactionIndex)
      const block: Block = {
        ...header,
        logs: transactions.flatMap(({ logs }) => logs.filter(isWatched)),
        transactions: new Map(transactions.map(({ transactionIndex, transaction }) => [transactionIndex, transaction])),
        receipts: {
          logsOf: (index) => transactions.find(({ transactionIndex }) => transactionIndex === index)?.logs ?? null,
        },
      }
      return { block, transactions }
    })
}

function explanationOf(
  { transaction, transactionIndex, succeeded, logs }: MinedTransaction,
  block: Block,
  processed: Processed,
  {
    context,
    decoders,
    wrappedNative,
  }: { context: NetworkContext; decoders: ReadonlyMap<Hex, EventDecoder>; wrappedNative: Address },
): Explanation {
  const ofThis = processed.hops.filter((transactionHops) => transactionHops.transactionIndex === transactionIndex)
  const trades = processed.trades.filter((trade) => trade.transactionIndex === transactionIndex)
  const logged = ofThis.flatMap(({ hops }) => hops)
  // The trades' hops have the transferred amounts instead of the logged ones.
  const moved = new Map(
    (trades.length === 0 ? logged : trades.flatMap(({ hops }) => hops)).map((hop) => [hop.logIndex, hop]),
  )
  const { number, hash, parentHash, timestamp } = block
  return {
    hash: transaction.hash,
    block: { number, hash, parentHash, timestamp },
    transactionIndex,
    trader: transaction.from,
    succeeded,
    hops: logged.flatMap(({ logIndex }) => moved.get(logIndex) ?? []),
    trades,
    dropped: [
      ...logged
        .filter(({ logIndex }) => !moved.has(logIndex))
        .map(({ logIndex, pool }): DroppedLog => ({ logIndex, pool: pool.address, reason: 'not-moved' })),
      ...ofThis.flatMap(({ dropped }) =>
        dropped.map(({ event: { logIndex, pool }, reason }): DroppedLog => ({ logIndex, pool, reason })),
      ),
      ...unverifiedLogs(block, transactionIndex, context, decoders),
    ].sort((a, b) => a.logIndex - b.logIndex),
    flows: receiptFlows(logs, wrappedNative, block.logsEther),
  }
}

function unverifiedLogs(
  block: Block,
  transactionIndex: number,
  { known }: NetworkContext,
  decoders: ReadonlyMap<Hex, EventDecoder>,
): DroppedLog[] {
  return block.logs.flatMap((log): DroppedLog[] => {
    const decoder = decoders.get(log.topics[0] ?? WITHOUT_TOPIC)
    if (decoder === undefined || log.transactionIndex !== transactionIndex) return []
    const event = decoder(log)
    if (event === null) return [{ logIndex: log.logIndex, pool: log.address, reason: 'malformed' }]
    return isTrade(event.type) && !known.pools.has(event.pool)
      ? [{ logIndex: log.logIndex, pool: event.pool, reason: 'not-authentic' }]
      : []
  })
}

function ignoreMissingKeys(error: unknown): void {
  if (!(error instanceof KeysNotFoundYet || error instanceof KeysNotFound)) throw error
}

const NO_HASH: Hex = '0x'

/** Gives blocks that the node lacks the latest possible time, so that reads backwards end. */
function sparseChain(chain: Chain, network: NetworkName, from: () => BlockPoint): LogSource {
  return {
    logsOf: (filter) => chain.logsOf({ ...filter, sparse: true }),
    async header(number) {
      const header = await chain.header(number)
      if (header !== null) return header
      const known = from()
      if (number >= known.number) return null
      const timestamp = known.timestamp - Math.floor((known.number - number) * NETWORKS[network].minBlockTimeS)
      return { number, hash: NO_HASH, parentHash: NO_HASH, timestamp }
    },
  }
}
