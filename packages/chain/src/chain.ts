import { setMaxListeners } from 'node:events'
import {
  type Address,
  type BlockHeader,
  type Hex,
  type Log,
  MINUTE,
  NETWORKS,
  type NetworkName,
  SECOND,
} from '@dexfeed/dex'
import { blockReads, type ReadBlocks, type ReadHow, type ReadRange } from './blocks/block-reads.ts'
import type { PortalOptions } from './blocks/history/portal-stream.ts'
import { type LogsOf, lookBack } from './blocks/look-back.ts'
import { openBlockProof } from './blocks/proof/open-block-proof.ts'
import type { HeaderAlert } from './blocks/proof/receipts/unknown-headers.ts'
import { type HashesAt, hashesAt, headerFromAny, headerIfKept, type ReadHeader } from './blocks/read-header.ts'
import {
  type MinedTransaction,
  readTransactionLogs,
  readTransactions,
  type TransactionPlace,
} from './blocks/read-transactions.ts'
import { type HasCode, hasCode } from './calls/at-block.ts'
import { type CallElsewhere, type CallMany, contractCalls } from './calls/call-many.ts'
import { initCodeRunner, type RunInitCode } from './calls/run-init-code.ts'
import type { ChainLog } from './chain-log.ts'
import { type Clock, systemClock } from './clock.ts'
import type { RequestReport } from './endpoints/endpoint.ts'
import { EndpointPool } from './endpoints/endpoint-pool.ts'
import { openEndpoints } from './endpoints/open-endpoints.ts'
import type { Budget, RequestRate } from './endpoints/request-budget.ts'
import type { Priority } from './endpoints/request-gate.ts'
import { verifyChainId } from './endpoints/verify-chain-id.ts'
import { budgetShortfall } from './heads/head-need.ts'
import { HeadReader } from './heads/read-head.ts'
import { watchHeads } from './heads/watch-heads.ts'

/** The chain's newest blocks. While heads are watched, both are answered from what was announced or polled. */
interface Heads {
  /** Returns the latest block, which may be lower than before. An endpoint far below the others is set aside. */
  head(): Promise<BlockHeader>
  /** Returns the number of the finalized block, never above the latest; null if the nodes do not know that tag. */
  finalized(): Promise<number | null>
  /** Calls `wake`, coalesced, when a socket or a poll reports a possible new head. Returns a function that stops. */
  onHead(wake: () => void): () => void
  /** Describes the endpoints whose known budgets are too low to follow the head, else null. */
  budgetShortfall(): string | null
}

/** Blocks with the logs of the configured topics, their senders and values. */
interface Blocks {
  readRange: ReadRange
  readBlocks: ReadBlocks
  /** Registers a final block. History is then read only from endpoints that have it. */
  knowFinal(block: Pick<BlockHeader, 'number' | 'hash'>): void
  /** Forgets these blocks after a reorg below the final block, which may have orphaned them. */
  forgetFinal(): void
  /** Whether unproven blocks were read in the last minutes; null if no block was read yet. */
  readsUnproven(): boolean | null
  /** Blocks that no endpoint can prove because their headers have unknown fields (a fork), else null. */
  headerAlert(): HeaderAlert | null
  /**
   * Calls `listen` when a block near the head turns out to be false after it was returned as proven: the proof covers
   * the logs, and transactions are compared later. Returns a function that stops.
   */
  onDisproved(listen: (block: number) => void): () => void
}

/** Single headers, logs and transactions. */
interface Lookups {
  header: ReadHeader
  /** Returns the hash of a block at every endpoint, and checks their chain ids again. */
  hashesAt(number: number): Promise<HashesAt>
  logsOf: LogsOf
  /** Returns every log of mined transactions, in the requested order. Throws if a receipt is missing (yet). */
  transactionLogs(places: readonly TransactionPlace[], priority?: Priority): Promise<Log[][]>
  /** Returns transactions by their hashes, in the requested order; null: unknown, or not mined yet. */
  transactions(hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]>
}

/** Calls of contracts. They throw if no endpoint could be called. */
interface Calls {
  callMany: CallMany
  callElsewhere: CallElsewhere
  runInitCode: RunInitCode
  /** Whether the last init code was run; false before the first. */
  runsInitCode(): boolean
  hasCode: HasCode
}

/** Reads one network. All responses of one operation come from one endpoint. All errors are ChainErrors. */
export interface Chain extends Heads, Blocks, Lookups, Calls {
  /**
   * Requests the chain id of every endpoint. Throws WrongChainId if one serves another chain. Endpoints that do not
   * respond are listed (masked) in `down`.
   */
  verifyChainId(): Promise<{ responding: number; down: string[] }>
  /** Aborts all running work and closes all connections. */
  close(): Promise<void>
}

export interface ChainOptions {
  network: NetworkName
  /** In order of preference. http(s): RPC endpoints; ws(s): only reports of new heads. */
  urls: readonly string[]
  /** First topics of the logs that readRange and readBlocks return. */
  topics: readonly Hex[]
  /** Contracts whose logs without a topic are returned, too; default: none. */
  emitters?: readonly Address[]
  /** Interval of head polls while no WebSocket reports heads. */
  pollMs: number
  /** Interval of finality requests while heads are watched; default 6 s. */
  finalityMs?: number
  log: ChainLog
  /**
   * How long unconfirmed blocks near the head wait for a second endpoint that does not respond; default 10 s. These
   * blocks are read again once final. Final blocks wait ten minutes, and never less than this.
   */
  headPatienceMs?: number
  /** Deadline of one request, its whole body included; default 15 s. */
  requestTimeoutMs?: number
  /** Deadline of an operation with all its attempts; default 30 s. */
  operationTimeoutMs?: number
  /** Default 64 MiB. */
  maxResponseBytes?: number
  /** Requests in flight to one endpoint; default 12. */
  requestsInFlight?: number
  /** Called with the number of blocks read, and how they were read. */
  onRead?: (blocks: number, how: ReadHow) => void
  /** Called with the seconds that the proof of one block took: header hash and receipts root. */
  onProof?: (seconds: number) => void
  /** Rate limit of each http(s) endpoint, in their order. Null or missing: learned from refusals. */
  rates?: readonly (RequestRate | null)[]
  /** The budgets of the http(s) endpoints, in their order, if other chains use them, too. Then `rates` have no effect. */
  budgets?: readonly Budget[] | null
  /** Prices of methods in compute units, where they differ from the usual ones. */
  computeUnits?: Readonly<Record<string, number>>
  /** Awaited before each piece of bulk work, so that the caller can let more urgent work go first. */
  bulkTurn?: () => Promise<void>
  /** Called for every batch that was sent. */
  onRequest?: (report: RequestReport) => void
  /** Share of history that is proven if endpoints serve receipts. Default 1, and 0.01 from the archive. */
  proveHistory?: number | null
  /** The archive to read history from first: URL and key of a Portal's data set. */
  archive?: Pick<PortalOptions, 'url' | 'key' | 'idleMs' | 'turnBytes'> | null
}

const KIB = 1024
const DEFAULTS = {
  finalityMs: 6 * SECOND,
  headPatienceMs: 10 * SECOND,
  requestTimeoutMs: 15 * SECOND,
  operationTimeoutMs: 30 * SECOND,
  maxResponseBytes: 64 * KIB * KIB,
  requestsInFlight: 12,
  proveHistory: null as number | null,
  archive: null as NonNullable<ChainOptions['archive']> | null,
  emitters: [] as readonly Address[],
  onRead: (() => undefined) as NonNullable<ChainOptions['onRead']>,
  onProof: (() => undefined) as NonNullable<ChainOptions['onProof']>,
  rates: [] as NonNullable<ChainOptions['rates']>,
  budgets: null as readonly Budget[] | null,
  computeUnits: {} as NonNullable<ChainOptions['computeUnits']>,
  onRequest: (() => undefined) as NonNullable<ChainOptions['onRequest']>,
  bulkTurn: (() => Promise.resolve()) as NonNullable<ChainOptions['bulkTurn']>,
}

/** A socket only reports heads, so startup does not wait long for it. */
const SOCKET_CHECK_MS = 5 * SECOND

/** A subscription is dead if it is silent for this many block times, and at least for half a minute. */
const SILENT_BLOCKS = 12
const LEAST_SILENCE_MS = MINUTE / 2

/** Opens a network's RPC endpoints. Connects on the first request. */
export function openChain(options: ChainOptions, clock: Clock = systemClock): Chain {
  const settings = { ...DEFAULTS, ...options }
  const { network, log, pollMs, operationTimeoutMs } = settings
  const { chainId } = NETWORKS[network]
  const closing = new AbortController()
  const closed = closing.signal
  // Every running request and pause adds a listener.
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
    verifyChainId: () => verifyChainId(pool, { chainId, socketUrls, timeoutMs }),
    head: () => heads.head(),
    finalized: () => heads.finalized(),
    header: (number, { anyEndpoint = false } = {}) => (anyEndpoint ? headerFromAny : headerIfKept)(pool, number),
    hashesAt: (number) => hashesAt(pool, number),
    knowFinal: (block) => proof.knowFinal(block),
    forgetFinal: () => proof.forgetFinal(),
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
      await Promise.all([reads, ...endpoints].map((each) => each.close()))
    },
  }
}
