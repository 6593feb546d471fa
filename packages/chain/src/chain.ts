import type { Block, BlockHeader, Hex, Log, NetworkName } from '@dexfeed/dex'
import type { LookBackFilter } from './blocks/look-back.ts'
import type { MinedTransaction, TransactionPlace } from './blocks/read-transactions.ts'
import type { Call } from './calls/multicall.ts'
import type { ChainLog } from './chain-log.ts'
import type { PlacedLog } from './json-rpc/rpc-log.ts'

/** A log found by looking back, with the block and transaction that it is of. */
export type { MinedTransaction, PlacedLog, TransactionPlace }

/** What is read of one network. Every answer of an operation comes from one endpoint. All errors are ChainErrors. */
export interface Chain {
  readonly network: NetworkName
  /**
   * Asks every endpoint for its chain id. Throws WrongChainId if one answers another than the network's; endpoints that
   * do not answer are listed (masked) in `down`.
   */
  verifyChainId(): Promise<{ answering: number; down: string[] }>
  /** Hash of block 0. */
  genesisHash(): Promise<Hex>
  /** The latest block. May be lower than before; an endpoint that has fallen behind the others is left. */
  head(): Promise<BlockHeader>
  /** Number of the finalized block, never above the latest; null where the nodes know no such tag. */
  finalized(): Promise<number | null>
  /** Null: not there (yet). */
  header(number: number): Promise<BlockHeader | null>
  /**
   * Logs by the topics given at the start, with the transactions that emitted them, for a range below the reorg window.
   * `to` may come back smaller than asked: what one request could bring. Blocks without logs are left out, except `from`
   * and `to`. Complete and consistent, or an error. `secondOpinion`: from the endpoint that is asked last otherwise.
   */
  readRange(
    from: number,
    to: number,
    options?: { secondOpinion?: boolean },
  ): Promise<{ from: number; to: number; blocks: Block[] }>
  /** Every block of a range near the head, each the parent of the next, with its logs by its own hash. */
  readBlocks(from: number, to: number): Promise<Block[]>
  /**
   * eth_call, in order, all at one block. Null: reverted, empty, or larger than 16 KiB. A failure to ask throws.
   * `at`: a block hash, a number, or 'latest' (one and the same block for all calls).
   */
  callMany(calls: readonly Call[], at: Hex | number | 'latest'): Promise<(Hex | null)[]>
  /**
   * All logs of some addresses with one of the topics (empty: any) in a range of any length, in log order. Where the
   * end of the range may still change, name the branch: its blocks are read as carefully as `readBlocks` reads.
   */
  logsOf(filter: LookBackFilter): Promise<PlacedLog[]>
  /** Every log of some mined transactions, in the order asked; throws where a receipt is not there (yet). */
  transactionLogs(places: readonly TransactionPlace[]): Promise<Log[][]>
  /** Transactions by their hashes, in the order asked; null: not known, or not mined yet. */
  transactions(hashes: readonly Hex[]): Promise<(MinedTransaction | null)[]>
  /** Calls back, coalesced, when there may be a new head: WebSocket hints, and polling. Returns how to stop. */
  onHead(wake: () => void): () => void
  /** Aborts what is under way and closes all connections. */
  close(): Promise<void>
}

export interface ChainOptions {
  network: NetworkName
  /** In order of preference. http(s): RPC endpoints; ws(s): head hints only. */
  urls: readonly string[]
  /** First topics of the logs that readRange and readBlocks bring. */
  topics: readonly Hex[]
  /** Head polling while no WebSocket reports heads. */
  pollMs: number
  log: ChainLog
  /** Deadline of one request, its whole body included; default 15 s. */
  requestTimeoutMs?: number
  /** Deadline of an operation with all its attempts; default 30 s. */
  operationTimeoutMs?: number
  /** Default 64 MiB. */
  maxResponseBytes?: number
  /** Requests under way to one endpoint; default 12. */
  requestsInFlight?: number
  /** Largest answer of one eth_call; default 16 KiB. */
  maxOutputBytes?: number
}
