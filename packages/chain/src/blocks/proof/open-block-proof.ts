import { EventEmitter } from 'node:events'
import { type BlockHeader, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../../chain-log.ts'
import type { Clock } from '../../clock.ts'
import type { EndpointPool } from '../../endpoints/endpoint-pool.ts'
import type { LogFilter } from '../../json-rpc/requests.ts'
import type { BlockProof } from '../block-proof.ts'
import { BlockProver } from './commitments/block-prover.ts'
import { readIfProven } from './receipts/read-proven.ts'
import { ScannedLogs } from './receipts/scanned-logs.ts'
import { type HeaderAlert, UnknownHeaders } from './receipts/unknown-headers.ts'
import { ChainAnchor } from './witness/chain-anchor.ts'
import { LogWitness } from './witness/log-witness.ts'
import { ReceiptWitness } from './witness/receipt-witness.ts'
import { TransactionSample } from './witness/transaction-sample.ts'

export interface BlockProofOptions {
  network: NetworkName
  filter: LogFilter
  log: ChainLog
  clock: Clock
  closed: AbortSignal
  headPatienceMs: number
  onProof: (seconds: number) => void
}

export interface NetworkProof extends BlockProof {
  /** Adds a final block of this chain, which `checkChain` then expects at every endpoint. */
  knowFinal(block: Pick<BlockHeader, 'number' | 'hash'>): void
  forgetFinal(): void
  headerAlert(): HeaderAlert | null
  onDisproved(listen: (block: number) => void): () => void
}

/**
 * Compare the transactions of one block in this many: each costs a request, which history at its budget limit notices.
 */
const SAMPLE_EVERY = { history: 200, head: 50 }

/** Opens what proves and confirms a network's blocks. The WebAssembly of the prover is loaded when first needed. */
export function openBlockProof(pool: EndpointPool, options: BlockProofOptions): NetworkProof {
  const { network, filter, clock, headPatienceMs: patienceMs } = options
  const { hasLogsWithoutTransaction: logsWithoutTransaction } = NETWORKS[network]
  let loading: Promise<BlockProver> | undefined
  const prover = () => (loading ??= BlockProver.load())
  const shared = { ...options, logsWithoutTransaction, prover, now: () => clock.now() }
  const unknownHeaders = new UnknownHeaders(pool, shared)
  const proven = { ...shared, scanned: new ScannedLogs(filter), unknownHeaders }
  const anchor = new ChainAnchor()
  const witness = new LogWitness(pool, shared)
  const receipts = new ReceiptWitness(pool, { clock, patienceMs })
  const disproved = new EventEmitter<{ block: [number] }>()
  const sampled = { ...shared, onDisproved: (block: number) => void disproved.emit('block', block) }
  const history = new TransactionSample(pool, { ...sampled, every: SAMPLE_EVERY.history })
  const head = new TransactionSample(pool, { ...sampled, every: SAMPLE_EVERY.head })

  return {
    readProven: (session, range) => readIfProven(session, range, proven),
    confirmHead: (session, blocks) => witness.confirmBlocks(session, blocks, filter),
    confirmFinal: (session, range, blocks) => witness.confirmFinal(session, range, blocks, filter),
    confirmLogs: (session, range, logs) => witness.confirmLogs(session, range, logs),
    confirmReceipts: (session, hashes, fetch, priority) => receipts.confirm(session, hashes, fetch, priority),
    checkChain: (session, to) => anchor.check(session, to),
    sampleFinal: (session, blocks) => history.check(session, blocks),
    sampleHead: (session, blocks) => head.checkLater(session, blocks),
    knowFinal: (block) => anchor.know(block),
    forgetFinal: () => anchor.forget(),
    headerAlert: () => unknownHeaders.alert,
    onDisproved(listen) {
      disproved.on('block', listen)
      return () => void disproved.off('block', listen)
    },
  }
}
