import { type Address, type Block, type BlockRange, type Hex, MINUTE, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { LogFilter } from '../json-rpc/requests.ts'
import type { BlockProof } from './block-proof.ts'
import { ArchiveHistory } from './history/archive-history.ts'
import { Portal } from './history/portal.ts'
import type { PortalOptions } from './history/portal-stream.ts'
import { readHistory } from './history/read-history.ts'
import { bloomCheck } from './logs-bloom.ts'
import { readBlocks } from './read-blocks.ts'

/** `archived`: read from the archive, and partly compared with the node. */
export type ReadHow = 'proven' | 'unproven' | 'archived'

export interface BlockReadsOptions {
  network: NetworkName
  topics: readonly Hex[]
  emitters: readonly Address[]
  log: ChainLog
  onRead: (blocks: number, how: ReadHow) => void
  proveHistory: number | null
  archive: Pick<PortalOptions, 'url' | 'key' | 'idleMs' | 'turnBytes'> | null
  pool: EndpointPool
  proof: BlockProof
  clock: Clock
  closed: AbortSignal
  bulkTurn: () => Promise<void>
  /** Awaited when blocks up to one near the head could not be read: that head may not exist. */
  onFailure: (to: number) => Promise<void>
}

/**
 * Reads a range below the reorg window. The returned `to` may be lower than requested: as far as one request reaches.
 * Blocks without logs are left out, except `from` and `to`. The result is complete and consistent, or an error is
 * thrown. `secondOpinion`: start with the least preferred endpoint, and wait for another one up to a day before the logs
 * of one alone are trusted.
 */
export type ReadRange = (
  from: number,
  to: number,
  options?: { secondOpinion?: boolean },
) => Promise<BlockRange & { blocks: Block[] }>
/**
 * Reads every block of a range near the head, linked by parent hash, with logs matched by block hash. If the endpoint
 * serves the receipts of whole blocks, they are proven against the block's hash.
 */
export type ReadBlocks = (from: number, to: number) => Promise<Block[]>

interface BlockReads {
  readRange: ReadRange
  readBlocks: ReadBlocks
  readsUnproven(): boolean | null
  close(): Promise<void>
}

const ARCHIVE_SHARE = 0.01
const UNPROVEN_FOR_MS = 10 * MINUTE

/** Returns the readers of a network's blocks: history (`readRange`) and the head (`readBlocks`). */
export function blockReads(settings: BlockReadsOptions): BlockReads {
  const { network, topics, emitters, log, proveHistory, pool, proof, clock, onFailure } = settings
  const filter: LogFilter = { topics, emitters }
  const options = {
    filter,
    proof,
    log,
    bloomClaims: bloomCheck([...topics, ...emitters]),
    logsWithoutTransaction: NETWORKS[network].hasLogsWithoutTransaction,
    random: () => clock.random(),
  }
  const archived = openArchive(settings, filter)
  const lastRead: { [How in ReadHow]?: number } = {}
  const onRead: BlockReadsOptions['onRead'] = (blocks, how) => {
    lastRead[how] = clock.now()
    settings.onRead(blocks, how)
  }
  const method = 'eth_getLogs'
  return {
    readsUnproven() {
      const { proven, archived, unproven } = lastRead
      if (unproven !== undefined && clock.now() - unproven < UNPROVEN_FOR_MS) return true
      return proven === undefined && archived === undefined ? null : false
    },
    async readRange(from, to, { secondOpinion = false } = {}) {
      const part = secondOpinion ? null : await archived?.readRange({ from, to })
      if (part) {
        onRead(part.to - part.from + 1, 'archived')
        return part
      }
      const operation = {
        what: `blocks ${from} to ${to}`,
        priority: 'bulk',
        method,
        leastPreferredFirst: secondOpinion,
      } as const
      return pool.run(operation, async (session) => {
        const reading = readHistory(session, { from, to }, { ...options, proveHistory: proveHistory ?? 1 })
        const [{ isProven, ...read }] = await Promise.all([reading, proof.checkChain(session, to)])
        if (!isProven) await proof.confirmFinal(session, { ...read, secondOpinion }, read.blocks)
        await proof.sampleFinal(session, read.blocks)
        onRead(read.to - read.from + 1, isProven ? 'proven' : 'unproven')
        return read
      })
    },
    async readBlocks(from, to) {
      const operation = { what: `blocks ${from} to ${to}`, priority: 'live', method } as const
      try {
        return await pool.run(operation, async (session) => {
          const blocks = await readBlocks(session, { from, to }, { ...options, onRead })
          proof.sampleHead(session, blocks)
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

function openArchive(settings: BlockReadsOptions, filter: LogFilter): ArchiveHistory | null {
  const { archive, pool, proof, log, clock, closed, bulkTurn, proveHistory } = settings
  if (archive === null) return null
  const portal = new Portal({ ...archive, filter, log, clock, closed, bulkTurn })
  return new ArchiveHistory(portal, pool, { filter, proof, log, clock, share: proveHistory ?? ARCHIVE_SHARE })
}
