import { EventEmitter } from 'node:events'
import { type Block, type BlockId, type BlockRange, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import type { LogFilter } from '../json-rpc/messages.ts'
import { BlockProver } from './proof/commitments/block-prover.ts'
import { readIfProven } from './proof/receipts/read-proven.ts'
import { ScannedLogs } from './proof/receipts/scanned-logs.ts'
import { UnknownHeaders } from './proof/receipts/unknown-headers.ts'
import { LogWitness } from './proof/witness/log-witness.ts'
import { ReceiptWitness } from './proof/witness/receipt-witness.ts'
import { TransactionSample } from './proof/witness/transaction-sample.ts'
import { fetchHeader, fetchPresentHeader } from './read-header.ts'

/**
 * Detects an open connection that has come to reach another chain: each endpoint must have the known final blocks.
 */
class ChainAnchor {
  /** An endpoint with this block has the same history below it, and can return the block from a cache. */
  #lowest: BlockId | null = null
  #last: BlockId | null = null

  know({ number, hash }: BlockId): void {
    this.#last = { number, hash }
    if (this.#lowest === null || number < this.#lowest.number) this.#lowest = this.#last
  }

  forget(): void {
    this.#lowest = null
    this.#last = null
  }

  /**
   * Checks that the endpoint has a known block, at or above block `to` if possible. If that block differs, the
   * endpoint's chain id is checked again.
   *
   * @throws ChainInconsistent if the block differs
   */
  async check(session: Session, to: number): Promise<void> {
    const anchor = this.#lowest !== null && this.#lowest.number >= to ? this.#lowest : this.#last
    if (anchor === null) return
    const header = await fetchPresentHeader(session, anchor.number)
    if (header.hash === anchor.hash) return
    session.endpoint.chain = 'unchecked'
    if (anchor === this.#lowest) await this.#forgetLowest(session)
    throw session.inconsistent(`block ${anchor.number} is ${header.hash}, on this chain it is ${anchor.hash}`)
  }

  /**
   * Drops the lowest known block if the endpoint still has the last one: then a deep reorg, repaired since, has
   * orphaned it.
   */
  async #forgetLowest(session: Session): Promise<void> {
    const last = this.#last
    if (last === null || last === this.#lowest) return
    const header = await fetchHeader(session, last.number)
    if (header?.hash === last.hash && last === this.#last) this.#lowest = last
  }
}

interface BlockProofOptions {
  network: NetworkName
  filter: LogFilter
  log: ChainLog
  clock: Clock
  closed: AbortSignal
  headPatienceMs: number
  onProof: (seconds: number) => void
}

export type ReadProven = (session: Session, range: BlockRange) => Promise<Block[] | null>

export type BlockProof = ReturnType<typeof openBlockProof>

/** Sample one block in this many, because each sample costs a request. */
const SAMPLE_EVERY = { history: 200, head: 50 }

/**
 * Creates the checks that prove or cross-check endpoint responses. They throw ProofFailed if a response is proven
 * wrong, and ChainInconsistent if two responses contradict each other.
 */
export function openBlockProof(pool: EndpointPool, options: BlockProofOptions) {
  const { network, filter, clock } = options
  const { hasLogsWithoutTransaction: logsWithoutTransaction } = NETWORKS[network]
  let loading: Promise<BlockProver> | undefined
  const shared = {
    ...options,
    logsWithoutTransaction,
    now: () => clock.now(),
    prover: () => (loading ??= BlockProver.load()),
  }
  const unknownHeaders = new UnknownHeaders(pool, shared)
  const proving = { ...shared, scanned: new ScannedLogs(filter), unknownHeaders }
  const readProven: ReadProven = (session, range) => readIfProven(session, range, proving)
  const disproved = new EventEmitter<{ block: [number] }>()
  const sampling = { ...shared, onDisproved: (block: number) => void disproved.emit('block', block) }

  return {
    readProven,
    unknownHeaders,
    anchor: new ChainAnchor(),
    logs: new LogWitness(pool, shared),
    receipts: new ReceiptWitness(pool, options),
    historySample: new TransactionSample(pool, { ...sampling, every: SAMPLE_EVERY.history }),
    headSample: new TransactionSample(pool, { ...sampling, every: SAMPLE_EVERY.head }),
    onDisproved(listen: (block: number) => void): () => void {
      disproved.on('block', listen)
      return () => void disproved.off('block', listen)
    },
  }
}
