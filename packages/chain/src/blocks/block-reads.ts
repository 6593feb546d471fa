import { EventEmitter } from 'node:events'
import { type Address, type Block, type BlockRange, type Hex, MINUTE, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Session } from '../endpoints/session.ts'
import type { LogFilter } from '../json-rpc/requests.ts'
import type { BlockProver } from '../proof/block-prover.ts'
import { ArchiveHistory, type ArchiveOptions } from './history/archive-history.ts'
import { Portal } from './history/portal.ts'
import { readHistory } from './history/read-history.ts'
import { bloomCheck } from './logs-bloom.ts'
import { type HeaderAlert, UnknownHeaders } from './proven/unknown-headers.ts'
import { readBlocks } from './read-blocks.ts'
import { ScannedLogs } from './scanned-logs.ts'
import type { LogWitness } from './witness/log-witness.ts'
import type { OwnChain } from './witness/own-chain.ts'
import { TransactionSample } from './witness/transaction-sample.ts'

/** `archived`: out of the archive, a part of them held against the node. */
export type ReadHow = 'proven' | 'unproven' | 'archived'

export interface BlockReadsOptions {
  network: NetworkName
  /** The logs that are wanted: of these first topics, and of these contracts those without a topic. */
  topics: readonly Hex[]
  emitters: readonly Address[]
  log: ChainLog
  onRead: (blocks: number, how: ReadHow) => void
  /** Is called with what the proof of a block took, in seconds. */
  onProof: (seconds: number) => void
  /** Null: 1, and of what comes out of the archive 0.01. */
  proveHistory: number | null
  archive: { url: string; key: string | null; idleMs?: number } | null
  pool: EndpointPool
  own: OwnChain
  witness: LogWitness
  prover: () => Promise<BlockProver>
  clock: Clock
  closed: AbortSignal
  bulkTurn: () => Promise<void>
  /** Is waited for when blocks up to one near the head could not be read: that head may have been made up. */
  onFailure: (to: number) => Promise<void>
}

/** Blocks with their logs, from wherever they are had. */
interface BlockReads {
  readRange(from: number, to: number, options?: { secondOpinion?: boolean }): Promise<BlockRange & { blocks: Block[] }>
  readBlocks(from: number, to: number): Promise<Block[]>
  /** Whether the node's word was taken lately; null while nothing was read. */
  readsUnproven(): boolean | null
  /** Blocks whose headers have unknown fields and cannot be proven; null: none. */
  headerAlert(): HeaderAlert | null
  /** Calls `listen` when a block near the head that was given already turns out to be false. Returns how to stop. */
  onDisproved(listen: (block: number) => void): () => void
  close(): Promise<void>
}

const ARCHIVE_SHARE = 0.01
/** A reading that nothing proved is told for so long. */
const UNPROVEN_FOR_MS = 10 * MINUTE
/** Of so many blocks one has its transactions compared: where history goes on at the budget's edge that is felt. */
const SAMPLE_EVERY = { history: 200, head: 50 }

/** The readings of blocks: proven, or confirmed by somebody else than the one that they come from. */
export function blockReads(settings: BlockReadsOptions): BlockReads {
  const { network, log, proveHistory, pool, own, witness, prover, clock, onFailure, onProof } = settings
  const { hasLogsWithoutTransaction: logsWithoutTransaction } = NETWORKS[network]
  const filter: LogFilter = { topics: settings.topics, emitters: settings.emitters }
  const now = () => clock.now()
  const random = () => clock.random()
  const bloomClaims = bloomCheck([...filter.topics, ...(filter.emitters ?? [])])
  const reading = { filter, scanned: new ScannedLogs(filter), bloomClaims, logsWithoutTransaction }
  const unknownHeaders = new UnknownHeaders(pool, { log, now })
  const options = { ...reading, log, prover, unknownHeaders, now, random, onProof }
  const history = { ...options, proveHistory: proveHistory ?? 1 }
  const archived = openArchive(settings, { ...options, share: proveHistory ?? ARCHIVE_SHARE })
  const disproved = new EventEmitter<{ block: [number] }>()
  const onDisproved = (block: number) => void disproved.emit('block', block)
  const samples = { ...settings, logsWithoutTransaction, onDisproved }
  const sample = new TransactionSample(pool, { ...samples, every: SAMPLE_EVERY.history })
  const headSample = new TransactionSample(pool, { ...samples, every: SAMPLE_EVERY.head })
  const confirm = (session: Session, blocks: readonly Block[]) => witness.confirmBlocks(session, blocks, filter)
  const lastRead: { [How in ReadHow]?: number } = {}
  const onRead: BlockReadsOptions['onRead'] = (blocks, how) => {
    lastRead[how] = now()
    settings.onRead(blocks, how)
  }
  const method = 'eth_getLogs'
  return {
    onDisproved(listen) {
      disproved.on('block', listen)
      return () => void disproved.off('block', listen)
    },
    readsUnproven() {
      const { proven, archived, unproven } = lastRead
      if (unproven !== undefined && now() - unproven < UNPROVEN_FOR_MS) return true
      return proven === undefined && archived === undefined ? null : false
    },
    headerAlert: () => unknownHeaders.alert,
    async readRange(from, to, { secondOpinion = false } = {}) {
      const part = secondOpinion ? null : await archived?.readRange({ from, to })
      if (part) {
        onRead(part.to - part.from + 1, 'archived')
        return part
      }
      const operation = { what: `blocks ${from} to ${to}`, priority: 'bulk', method, backwards: secondOpinion } as const
      return pool.run(operation, async (session) => {
        const reading = readHistory(session, { from, to }, history)
        const [{ isProven, ...read }] = await Promise.all([reading, own.check(session, to)])
        if (!isProven) await witness.confirmFinal(session, read, read.blocks, filter)
        await sample.check(session, read.blocks)
        onRead(read.to - read.from + 1, isProven ? 'proven' : 'unproven')
        return read
      })
    },
    async readBlocks(from, to) {
      const operation = { what: `blocks ${from} to ${to}`, priority: 'live', method } as const
      try {
        return await pool.run(operation, async (session) => {
          const blocks = await readBlocks(session, { from, to }, { ...options, onRead, confirm })
          headSample.checkBeside(session, blocks)
          return blocks
        })
      } catch (error) {
        await onFailure(to)
        throw error
      }
    },
    async close() {
      await archived?.close()
    },
  }
}

function openArchive(
  { archive, pool, topics, emitters, log, clock, closed, bulkTurn }: BlockReadsOptions,
  options: ArchiveOptions,
): ArchiveHistory | null {
  if (archive === null) return null
  return new ArchiveHistory(
    new Portal({ ...archive, filter: { topics, emitters }, log, clock, closed, bulkTurn }),
    pool,
    options,
  )
}
