import { setMaxListeners } from 'node:events'
import {
  type Address,
  type BlockHeader,
  type BlockId,
  type Hex,
  type Log,
  MINUTE,
  NETWORKS,
  type NetworkName,
  SECOND,
} from '@dexfeed/dex'
import { openBlockProof } from './blocks/block-proof.ts'
import { type LogsOf, lookBack } from './blocks/look-back.ts'
import type { HeaderAlert } from './blocks/proof/receipts/unknown-headers.ts'
import {
  type ArchiveSettings,
  blockReads,
  type ReadBlocks,
  type ReadHow,
  type ReadRange,
} from './blocks/read-blocks.ts'
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

interface Heads {
  /** Returns the latest block, which may be lower than before. An endpoint far below the others is set aside. */
  head(): Promise<BlockHeader>
  /**
   * Returns the number of the finalized block, never above the latest; null if the nodes do not know the `finalized`
   * tag.
   */
  finalized(): Promise<number | null>
  /**
   * Calls `wake` when sockets or polls report a possible new head; several reports may cause one call. Returns a
   * function that stops this.
   */
  onHead(wake: () => void): () => void
  budgetShortfall(): string | null
}

interface Blocks {
  readRange: ReadRange
  readBlocks: ReadBlocks
  /** Registers a final block. History is then read only from endpoints that have it. */
  knowFinal(block: BlockId): void
  forgetFinal(): void
  /** Whether unproven blocks were read in the last minutes; null if no block was read yet. */
  readsUnproven(): boolean | null
  headerAlert(): HeaderAlert | null
  /**
   * Calls `listen` when a block near the head turns out to be false after it was returned, with the number of the last
   * block returned so far. Returns a function that stops this.
   */
  onDisproved(listen: (block: number) => void): () => void
}

interface Lookups {
  header: ReadHeader
  /** Returns the hash of a block at every endpoint, and checks their chain ids again. */
  hashesAt(number: number): Promise<HashesAt>
  logsOf: LogsOf
  /** Returns every log of mined transactions, in the requested order. Throws if a receipt is missing (yet). */
  transactionLogs(places: readonly TransactionPlace[], priority?: Priority): Promise<Log[][]>
  /** Returns transactions in the requested order, null for one that is unknown or not mined yet. */
  transactions(hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]>
}

/** All calls throw if no endpoint responds, except `callElsewhere`, which then returns null. */
interface Calls {
  callMany: CallMany
  callElsewhere: CallElsewhere
  runInitCode: RunInitCode
  runsInitCode(): boolean
  hasCode: HasCode
}

/** Reads one network. All responses of one operation come from one endpoint. All errors are ChainErrors. */
export interface Chain extends Heads, Blocks, Lookups, Calls {
  /**
   * Throws WrongChainId if an endpoint serves another chain. `down` holds the masked URLs of endpoints that do not
   * respond.
   */
  verifyChainId(): Promise<{ responding: number; down: string[] }>
  close(): Promise<void>
}

export interface ChainOptions {
  network: NetworkName
  /** In order of preference. http(s) URLs are RPC endpoints; ws(s) URLs only report new heads. */
  urls: readonly string[]
  /** First topics of the logs to return. */
  topics: readonly Hex[]
  emitters?: readonly Address[]
  /** Interval of head polls while no WebSocket reports heads. */
  pollMs: number
  /** Interval of finality requests while heads are watched; default 6 s. */
  finalityMs?: number
  log: ChainLog
  /**
   * How long unproven blocks near the head wait for a second endpoint; default 10 s. Final blocks wait for ten minutes,
   * or for this time if it is longer.
   */
  headPatienceMs?: number
  /** Deadline for one request, including its whole response; default 15 s. */
  requestTimeoutMs?: number
  /** Deadline for an operation with all its attempts; default 30 s. */
  operationTimeoutMs?: number
  onRead?: (blocks: number, how: ReadHow) => void
  onProof?: (seconds: number) => void
  onRequest?: (report: RequestReport) => void
  /** Awaited before each piece of bulk work, so that more urgent work can go first. */
  bulkTurn?: () => Promise<void>
  /** Rate limits of the http(s) endpoints, in order. A limit that is null or missing is learned from refusals. */
  rates?: readonly (RequestRate | null)[]
  /** Prices of methods in compute units, where they differ from the usual ones. */
  computeUnits?: Readonly<Record<string, number>>
  /** Budgets shared with other `Chain`s. They replace `rates`. */
  budgets?: readonly Budget[] | null
  /**
   * Share of historical blocks that are proven if endpoints serve receipts; default 1, or 0.01 for blocks from the
   * archive.
   */
  proveHistory?: number | null
  archive?: ArchiveSettings | null
}

const ignore = (): void => undefined
const DEFAULTS = {
  emitters: [],
  finalityMs: 6 * SECOND,
  headPatienceMs: 10 * SECOND,
  requestTimeoutMs: 15 * SECOND,
  operationTimeoutMs: 30 * SECOND,
  onRead: ignore,
  onProof: ignore,
  onRequest: ignore,
  bulkTurn: async () => undefined,
  rates: [],
  computeUnits: {},
  budgets: null,
  proveHistory: null,
  archive: null,
}

/** Sockets only report heads, so startup does not wait long for them. */
const SOCKET_CHECK_MS = 5 * SECOND

/** A subscription counts as dead after this many block times of silence, but no sooner than after half a minute. */
const SILENT_BLOCKS = 12
const MIN_SILENCE_MS = MINUTE / 2

export function openChain(options: ChainOptions, clock: Clock = systemClock): Chain {
  const settings: Required<ChainOptions> = { ...DEFAULTS, ...options }
  const { network, log, pollMs, finalityMs, operationTimeoutMs, requestTimeoutMs, topics, emitters } = settings
  const { chainId, minBlockTimeS } = NETWORKS[network]
  const closing = new AbortController()
  const closed = closing.signal
  setMaxListeners(0, closed)
  const { endpoints, socketUrls } = openEndpoints(settings, clock)
  const pool = new EndpointPool({ endpoints, chainId, operationTimeoutMs, closed, clock, log })
  const blockTimeMs = minBlockTimeS * SECOND
  const silenceMs = Math.max(MIN_SILENCE_MS, SILENT_BLOCKS * blockTimeMs)
  const heads = new HeadReader({ pool, clock, log, pollMs, finalityMs, socketUrls, silenceMs, blockTimeMs })
  const filter = { topics, emitters }
  const proof = openBlockProof(pool, { ...settings, filter, clock, closed })
  const onFailure = (to: number) => heads.doubt(to)
  const reads = blockReads({ ...settings, filter, pool, proof, clock, closed, onFailure })
  const timeoutMs = Math.min(requestTimeoutMs, SOCKET_CHECK_MS)
  const needs = { blockTimeMs, pollMs, finalityMs, hasSocket: socketUrls.length > 0 }

  return {
    head: () => heads.head(),
    finalized: () => heads.finalized(),
    onHead: (wake) => heads.onHead(wake),
    budgetShortfall: () => budgetShortfall(endpoints, needs),
    readRange: reads.readRange,
    readBlocks: reads.readBlocks,
    readsUnproven: () => reads.readsUnproven(),
    knowFinal: (block) => proof.anchor.know(block),
    forgetFinal: () => proof.anchor.forget(),
    headerAlert: () => proof.unknownHeaders.alert,
    onDisproved: (listen) => proof.onDisproved(listen),
    header: (number, { anyEndpoint = false } = {}) => (anyEndpoint ? headerFromAny : headerIfKept)(pool, number),
    hashesAt: (number) => hashesAt(pool, number),
    logsOf: (filter) => lookBack(pool, proof, filter),
    transactionLogs: (places, priority = 'live') => readTransactionLogs(pool, proof.receipts, places, priority),
    transactions: (hashes) => readTransactions(pool, hashes),
    ...contractCalls(pool, { log, clock, knownHead: () => heads.knownHead() }),
    ...initCodeRunner(pool, log),
    hasCode: (address, number) => hasCode(pool, address, number),
    verifyChainId: () => verifyChainId(pool, { chainId, socketUrls, timeoutMs }),
    close: async () => {
      closing.abort()
      heads.close()
      await Promise.all([reads, ...endpoints].map((each) => each.close()))
    },
  }
}
