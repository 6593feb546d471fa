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
  /** Returns the number of the finalized block, never above the latest; null if the nodes do not know that tag. */
  finalized(): Promise<number | null>
  /** Calls `wake`, coalesced, when a socket or a poll reports a possible new head. Returns a function that stops. */
  onHead(wake: () => void): () => void
  /** Describes the endpoints whose known budgets are too low to follow the head, else null. */
  budgetShortfall(): string | null
}

interface Blocks {
  readRange: ReadRange
  readBlocks: ReadBlocks
  /** Registers a final block. History is then read only from endpoints that have it. */
  knowFinal(block: Pick<BlockHeader, 'number' | 'hash'>): void
  /** Forgets these blocks after a reorg below the final block. */
  forgetFinal(): void
  /** Whether unproven blocks were read in the last minutes; null if no block was read yet. */
  readsUnproven(): boolean | null
  /** Blocks whose headers have unknown fields (a fork), so that no endpoint can prove them, else null. */
  headerAlert(): HeaderAlert | null
  /** Calls `listen` when a block that was returned as proven turns out to be false. Returns a function that stops. */
  onDisproved(listen: (block: number) => void): () => void
}

interface Lookups {
  header: ReadHeader
  /** Returns the hash of a block at every endpoint, and checks their chain ids again. */
  hashesAt(number: number): Promise<HashesAt>
  logsOf: LogsOf
  /** Returns every log of mined transactions, in the requested order. Throws if a receipt is missing (yet). */
  transactionLogs(places: readonly TransactionPlace[], priority?: Priority): Promise<Log[][]>
  /** Returns transactions in the requested order; null: unknown, or not mined yet. */
  transactions(hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]>
}

/** They throw if no endpoint could be called. */
interface Calls {
  callMany: CallMany
  callElsewhere: CallElsewhere
  runInitCode: RunInitCode
  /** False before the first init code. */
  runsInitCode(): boolean
  hasCode: HasCode
}

/** Reads one network. All responses of one operation come from one endpoint. All errors are ChainErrors. */
export interface Chain extends Heads, Blocks, Lookups, Calls {
  /** Throws WrongChainId if an endpoint serves another chain. `down`: endpoints that do not respond (masked). */
  verifyChainId(): Promise<{ responding: number; down: string[] }>
  close(): Promise<void>
}

export interface ChainOptions {
  network: NetworkName
  /** In order of preference. http(s): RPC endpoints; ws(s): only reports of new heads. */
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
   * How long unconfirmed blocks near the head wait for a second endpoint; default 10 s. Final blocks wait ten minutes,
   * and never less than this.
   */
  headPatienceMs?: number
  /** Deadline of one request, its whole body included; default 15 s. */
  requestTimeoutMs?: number
  /** Deadline of an operation with all its attempts; default 30 s. */
  operationTimeoutMs?: number
  onRead?: (blocks: number, how: ReadHow) => void
  onProof?: (seconds: number) => void
  onRequest?: (report: RequestReport) => void
  /** Awaited before each piece of bulk work, so that more urgent work can go first. */
  bulkTurn?: () => Promise<void>
  /** Rate limit of each http(s) endpoint, in their order. Null or missing: learned from refusals. */
  rates?: readonly (RequestRate | null)[]
  /** Prices of methods in compute units, where they differ from the usual ones. */
  computeUnits?: Readonly<Record<string, number>>
  /** Budgets shared with other chains, which replace `rates`. */
  budgets?: readonly Budget[] | null
  /** Share of history that is proven if endpoints serve receipts. Default 1, and 0.01 from the archive. */
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

/** A socket only reports heads, so startup does not wait long for it. */
const SOCKET_CHECK_MS = 5 * SECOND

/** A subscription is dead if it is silent for this many block times, and at least for half a minute. */
const SILENT_BLOCKS = 12
const MIN_SILENCE_MS = MINUTE / 2

/** Opens a network's RPC endpoints. Connects on the first request. */
export function openChain(options: ChainOptions, clock: Clock = systemClock): Chain {
  const settings: Required<ChainOptions> = { ...DEFAULTS, ...options }
  const { network, log, pollMs, finalityMs, operationTimeoutMs, requestTimeoutMs, topics, emitters } = settings
  const { chainId, leastBlockTimeS } = NETWORKS[network]
  const closing = new AbortController()
  const closed = closing.signal
  setMaxListeners(0, closed)
  const { endpoints, socketUrls } = openEndpoints(settings, clock)
  const pool = new EndpointPool({ endpoints, chainId, operationTimeoutMs, closed, clock, log })
  const blockTimeMs = leastBlockTimeS * SECOND
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
    ...contractCalls(pool, { log, clock, knownHead: () => heads.known() }),
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
