import { setMaxListeners } from 'node:events'
import {
  type Address,
  type Block,
  type BlockHeader,
  type Hex,
  type Log,
  MINUTE,
  NETWORKS,
  type NetworkName,
  SECOND,
} from '@dexfeed/dex'
import { blockReads, type ReadHow } from './blocks/block-reads.ts'
import { type LookBackFilter, lookBack } from './blocks/look-back.ts'
import { openBlockProof } from './blocks/proof/open-block-proof.ts'
import type { HeaderAlert } from './blocks/proof/receipts/unknown-headers.ts'
import { type HashesAt, hashesAt, headerFromAny, headerIfKept } from './blocks/read-header.ts'
import {
  type MinedTransaction,
  readTransactionLogs,
  readTransactions,
  type TransactionPlace,
} from './blocks/read-transactions.ts'
import { hasCode } from './calls/at-block.ts'
import { type CallElsewhere, type CallMany, contractCalls } from './calls/call-many.ts'
import { initCodeRunner, type RunInitCode } from './calls/run-init-code.ts'
import type { ChainLog } from './chain-log.ts'
import { type Clock, systemClock } from './clock.ts'
import type { RequestReport } from './endpoints/endpoint.ts'
import { EndpointPool } from './endpoints/endpoint-pool.ts'
import { openEndpoints } from './endpoints/open-endpoints.ts'
import type { RequestRate } from './endpoints/request-budget.ts'
import type { Priority } from './endpoints/request-gate.ts'
import { verifyChainId } from './endpoints/verify-chain-id.ts'
import { budgetShortfall } from './heads/head-need.ts'
import { HeadReader } from './heads/read-head.ts'
import { watchHeads } from './heads/watch-heads.ts'
import type { PlacedLog } from './json-rpc/rpc-log.ts'

/** What is read of one network. Every answer of an operation comes from one endpoint. All errors are ChainErrors. */
export interface Chain {
  readonly network: NetworkName
  /**
   * Asks every endpoint for its chain id. Throws WrongChainId if one answers another than the network's; endpoints that
   * do not answer are listed (masked) in `down`.
   */
  verifyChainId(): Promise<{ responding: number; down: string[] }>
  /** Hash of block 0; null where the nodes do not keep it. */
  genesisHash(): Promise<Hex | null>
  /**
   * The latest block; while heads are watched, the last one that was announced or polled. May be lower than before; an
   * endpoint that has fallen behind the others is set aside.
   */
  head(): Promise<BlockHeader>
  /**
   * Number of the finalized block, never above the latest; null where the nodes know no such tag. While heads are
   * watched it is asked for every few seconds.
   */
  finalized(): Promise<number | null>
  /** Takes a final block for known: history is read only where an endpoint has it. */
  knowFinal(block: Pick<BlockHeader, 'number' | 'hash'>): void
  /** The hash of a block at every endpoint, whose chain ids are checked again. */
  hashesAt(number: number): Promise<HashesAt>
  /** Whether blocks were read within the last minutes that nothing proves; null: none were read at all. */
  readsUnproven(): boolean | null
  /** Blocks that no endpoint proves because their headers have fields that are unknown here (a fork); null: none. */
  headerAlert(): HeaderAlert | null
  /**
   * Calls `listen` when a block near the head that was given as proven turns out to be false: its transactions, of which
   * the proof covers only the logs, are compared beside. Returns how to stop.
   */
  onDisproved(listen: (block: number) => void): () => void
  /** Null: not there (yet). `anybody`: the preferred endpoint that has it tells it; null: nobody who answers has it. */
  header(number: number, options?: { anyEndpoint?: boolean }): Promise<BlockHeader | null>
  /**
   * Logs by the topics given at the start, with the transactions that emitted them, for a range below the reorg window.
   * `to` may come back smaller than asked: what one request could bring. Blocks without logs are skipped, except `from`
   * and `to`. Complete and consistent, or an error. `secondOpinion`: from the endpoint that is asked last otherwise.
   */
  readRange(
    from: number,
    to: number,
    options?: { secondOpinion?: boolean },
  ): Promise<{ from: number; to: number; blocks: Block[] }>
  /**
   * Every block of a range near the head, each the parent of the next, with its logs by its own hash. Where the endpoint
   * serves receipts of whole blocks, these are proven against the block's hash.
   */
  readBlocks(from: number, to: number): Promise<Block[]>
  /**
   * eth_call, in order, all at one block. Null: reverted, empty, or larger than 16 KiB. A failure to ask throws.
   * `at`: a block hash, a number, or 'latest' (one and the same block for all calls).
   */
  callMany: CallMany
  /** The same from another host than `callMany` asks; null: there is none, or it does not answer now. */
  callElsewhere: CallElsewhere
  /**
   * Runs init code at a block that is named by its hash, as a creation of which nothing is kept, and gives what `read`
   * makes of the answer. Null: it is none that the code gives; ordinary calls have to tell. An endpoint that gives none
   * at three blocks in a row is not asked any more. A failure to ask throws.
   */
  runInitCode: RunInitCode
  /** Whether the code that was last to be run was; false before any was. */
  runsInitCode(): boolean
  /**
   * All logs of some addresses with one of the topics (empty: any) in a range of any length, in log order. Where the
   * end of the range may still change, name the branch: its blocks are read as carefully as `readBlocks` reads.
   */
  logsOf(filter: LookBackFilter): Promise<PlacedLog[]>
  /** Whether a contract had code at a block; null: no endpoint keeps that state. Nothing proves the answer. */
  hasCode(address: Address, number: number): Promise<boolean | null>
  /** Every log of mined transactions, in the order asked; throws where a receipt is not there (yet). Default: live. */
  transactionLogs(places: readonly TransactionPlace[], priority?: Priority): Promise<Log[][]>
  /** Transactions by their hashes, in the order asked; null: not known, or not mined yet. */
  transactions(hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]>
  /** Which endpoints' budgets, as far as they are known by now, are below what following the head takes; null: none. */
  budgetShortfall(): string | null
  /** Calls `wake`, coalesced, when there may be a new head: by a WebSocket's report or by polling. Returns how to stop. */
  onHead(wake: () => void): () => void
  /** Aborts what is under way and closes all connections. */
  close(): Promise<void>
}

export interface ChainOptions {
  network: NetworkName
  /** In order of preference. http(s): RPC endpoints; ws(s): reports of new heads only. */
  urls: readonly string[]
  /** First topics of the logs that readRange and readBlocks bring. */
  topics: readonly Hex[]
  /** Contracts whose logs without a topic they bring, too; default: none. */
  emitters?: readonly Address[]
  /** Head polling while no WebSocket reports heads. */
  pollMs: number
  /** How often finality is asked for while heads are watched; default 6 s. */
  finalityMs?: number
  log: ChainLog
  /**
   * How long blocks near the head wait for a second endpoint that does not answer, where nothing else confirms them;
   * default 10 s: they are read again when they are final.
   */
  headPatienceMs?: number
  /** Deadline of one request, its whole body included; default 15 s. */
  requestTimeoutMs?: number
  /** Deadline of an operation with all its attempts; default 30 s. */
  operationTimeoutMs?: number
  /** Default 64 MiB. */
  maxResponseBytes?: number
  /** Requests under way to one endpoint; default 12. */
  requestsInFlight?: number
  /** Is called with the number of blocks that were read, and how. */
  onRead?: (blocks: number, how: ReadHow) => void
  /** Is called with what the proof of a block took, in seconds: its header's hash and the root of its receipts. */
  onProof?: (seconds: number) => void
  /** What each http(s) endpoint takes, in their order; null, and those that are left out: learnt from refusals. */
  rates?: readonly (RequestRate | null)[]
  /** Prices of methods in compute units that are not the usual ones. */
  computeUnits?: Readonly<Record<string, number>>
  /** Is waited for before each piece of work in bulk: who runs this decides what goes first. */
  bulkTurn?: () => Promise<void>
  /** Is called for every batch that was sent. */
  onRequest?: (report: RequestReport) => void
  /** Largest answer of one eth_call; default 16 KiB. */
  maxOutputBytes?: number
  /**
   * Which share of the blocks of history is proven where endpoints serve receipts of whole blocks; default 1, and of
   * blocks out of the archive 0.01.
   */
  proveHistory?: number | null
  /** Where history is read first: the URL of a Portal's data set, and its key. */
  archive?: { url: string; key: string | null; idleMs?: number } | null
}

const KIB = 1024
const DEFAULTS = {
  finalityMs: 6 * SECOND,
  headPatienceMs: 10 * SECOND,
  requestTimeoutMs: 15 * SECOND,
  operationTimeoutMs: 30 * SECOND,
  maxResponseBytes: 64 * KIB * KIB,
  requestsInFlight: 12,
  maxOutputBytes: 16 * KIB,
  proveHistory: null as number | null,
  archive: null as NonNullable<ChainOptions['archive']> | null,
  emitters: [] as readonly Address[],
  onRead: (() => undefined) as NonNullable<ChainOptions['onRead']>,
  onProof: (() => undefined) as NonNullable<ChainOptions['onProof']>,
  rates: [] as NonNullable<ChainOptions['rates']>,
  computeUnits: {} as NonNullable<ChainOptions['computeUnits']>,
  onRequest: (() => undefined) as NonNullable<ChainOptions['onRequest']>,
  bulkTurn: (() => Promise.resolve()) as NonNullable<ChainOptions['bulkTurn']>,
}

/** A socket only reports heads: the start does not wait long for it. */
const SOCKET_CHECK_MS = 5 * SECOND

/** A chain that is silent for some block times, at least for half a minute, is a subscription that died. */
const SILENT_BLOCKS = 12
const LEAST_SILENCE_MS = MINUTE / 2

/** Opens a network's RPC endpoints. No connection is made before the first question. */
export function openChain(options: ChainOptions, clock: Clock = systemClock): Chain {
  const settings = { ...DEFAULTS, ...options }
  const { network, log, pollMs, operationTimeoutMs } = settings
  const { chainId } = NETWORKS[network]
  const closing = new AbortController()
  const closed = closing.signal
  // Every request and every pause under way listens.
  setMaxListeners(0, closed)
  const { endpoints, socketUrls } = openEndpoints(settings, clock)
  const pool = new EndpointPool({ endpoints, chainId, operationTimeoutMs, closed, clock, log })
  const heads = new HeadReader({ pool, clock, log, pollMs, finalityMs: settings.finalityMs })
  const watches = new Set<() => void>()
  const filter = { topics: settings.topics, emitters: settings.emitters }
  const proof = openBlockProof(pool, { ...settings, filter, clock, closed })
  const onFailure = (to: number) => heads.doubt(to)
  const reads = blockReads({ ...settings, pool, proof, clock, closed, onFailure })
  const timeoutMs = Math.min(settings.requestTimeoutMs, SOCKET_CHECK_MS)
  const blockTimeMs = NETWORKS[network].leastBlockTimeS * SECOND
  const silenceMs = Math.max(LEAST_SILENCE_MS, SILENT_BLOCKS * blockTimeMs)
  const watching = { socketUrls, pollMs, silenceMs, blockTimeMs }

  return {
    network,
    verifyChainId: () => verifyChainId(pool, { chainId, socketUrls, timeoutMs }),
    head: () => heads.head(),
    finalized: () => heads.finalized(),
    header: (number, { anyEndpoint = false } = {}) => (anyEndpoint ? headerFromAny : headerIfKept)(pool, number),
    genesisHash: async () => (await headerIfKept(pool, 0))?.hash ?? null,
    hashesAt: (number) => hashesAt(pool, number),
    knowFinal: (block) => proof.knowFinal(block),
    readRange: (from, to, reading) => reads.readRange(from, to, reading),
    readBlocks: (from, to) => reads.readBlocks(from, to),
    readsUnproven: () => reads.readsUnproven(),
    headerAlert: () => proof.headerAlert(),
    onDisproved: (listen) => proof.onDisproved(listen),
    ...initCodeRunner(pool, settings),
    ...contractCalls(pool, { ...settings, clock, knownHead: () => heads.known() }),
    logsOf: (filter) => lookBack(pool, proof, filter),
    hasCode: (address, number) => hasCode(pool, address, number),
    transactionLogs: (places, priority = 'live') => readTransactionLogs(pool, places, { priority, proof }),
    transactions: (hashes) => readTransactions(pool, hashes),
    budgetShortfall: () => {
      const { finalityMs } = settings
      return budgetShortfall(endpoints, { blockTimeMs, pollMs, finalityMs, hasSocket: socketUrls.length > 0 })
    },
    onHead: (wake) => {
      const learning = {
        latest: (exact: boolean) => heads.latest(exact),
        announced: (header: BlockHeader | null) => heads.announced(header),
      }
      const ends = [heads.watch(), watchHeads({ ...learning, ...watching, clock, log }, wake)]
      const stop = () => {
        if (watches.delete(stop)) for (const end of ends) end()
      }
      watches.add(stop)
      return stop
    },
    close: async () => {
      closing.abort()
      for (const stop of watches) stop()
      await Promise.all([reads, ...endpoints].map((one) => one.close()))
    },
  }
}
