import type { Block, BlockRange, Hex, Log } from '@dexfeed/dex'
import type { Priority } from '../endpoints/request-gate.ts'
import type { Session } from '../endpoints/session.ts'
import type { LogFilter } from '../json-rpc/requests.ts'
import type { PlacedLog } from '../json-rpc/rpc-log.ts'

/**
 * Proves or confirms what one endpoint returned. The methods, in `blocks/proof`, use receipts, a second endpoint and
 * samples. ProofFailed: the endpoint is proven wrong. ChainInconsistent: two responses contradict each other, or it has
 * another chain. `sampleHead` throws neither; it sets the endpoint aside later.
 */
export interface BlockProof {
  /** Reads blocks from the start of a range and proves them. Null if this endpoint cannot prove blocks now. */
  readProven(session: Session, range: BlockRange): Promise<Block[] | null>
  /** Confirms unproven blocks near the head, each by its hash. Waits only briefly for a second endpoint that lags. */
  confirmHead(session: Session, blocks: readonly Block[]): Promise<void>
  /** Confirms unproven final blocks. Waits minutes for a second endpoint, or up to a day for a second opinion. */
  confirmFinal(session: Session, range: FinalRange, blocks: readonly Block[]): Promise<void>
  /** Confirms the logs of a range that ends with the block `end`. */
  confirmLogs(session: Session, range: BlockRange, logs: RangeLogs): Promise<void>
  /** Fetches the logs of single receipts from two endpoints and returns, per receipt, the fuller list. */
  confirmReceipts(
    session: Session,
    hashes: readonly Hex[],
    fetch: (session: Session) => Promise<Log[][]>,
    priority: Priority,
  ): Promise<Log[][]>
  /** Checks that the endpoint has this network's known final block: one above block `to` if there is one. */
  checkChain(session: Session, to: number): Promise<void>
  /** Checks hash, sender and value of the transactions of some final blocks, chosen at random. */
  sampleFinal(session: Session, blocks: readonly Block[]): Promise<void>
  /** Does the same for blocks near the head, in the background. */
  sampleHead(session: Session, blocks: readonly Block[]): void
}

/** `secondOpinion`: the blocks are indexed already, and are only compared. */
export interface FinalRange extends BlockRange {
  secondOpinion?: boolean
}

/** The logs of a filter in a range, and the hash of its last block. */
export interface RangeLogs {
  logs: readonly PlacedLog[]
  end: Hex
  filter: LogFilter
}
