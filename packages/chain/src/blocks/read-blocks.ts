import { type Block, type BlockRange, MINUTE, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import type { LogFilter } from '../json-rpc/messages.ts'
import { checkLinks } from './assemble-block.ts'
import type { BlockProof } from './block-proof.ts'
import { bloomCheck } from './confirm-no-logs.ts'
import { ArchiveHistory } from './history/archive-history.ts'
import { Portal } from './history/portal.ts'
import type { PortalOptions } from './history/portal-stream.ts'
import { readHistory } from './history/read-history.ts'
import { readLoggedBlocks } from './logged-blocks.ts'

/** `archived`: read from the archive; a sample was compared with a node. */
export type ReadHow = 'proven' | 'unproven' | 'archived'

export type ArchiveSettings = Pick<PortalOptions, 'url' | 'key' | 'idleMs'>

export interface BlockReadsOptions {
  network: NetworkName
  filter: Required<Pick<LogFilter, 'topics' | 'emitters'>>
  log: ChainLog
  onRead: (blocks: number, how: ReadHow) => void
  proveHistory: number | null
  archive: ArchiveSettings | null
  pool: EndpointPool
  proof: BlockProof
  clock: Clock
  closed: AbortSignal
  bulkTurn: () => Promise<void>
  /** Awaited when blocks up to `to`, near the head, could not be read: the head may not exist. */
  onFailure: (to: number) => Promise<void>
}

/**
 * Reads a range below the reorg window. The returned `to` is lower if one request does not reach further. Omits blocks
 * without logs, except the first and the last. With `secondOpinion`, starts with the least preferred endpoint, and
 * trusts one alone only after waiting up to a day for another.
 */
export type ReadRange = (
  from: number,
  to: number,
  options?: { secondOpinion?: boolean },
) => Promise<BlockRange & { blocks: Block[] }>

/**
 * Reads every block of a range near the head. Checks that parent hashes link the blocks, and proves them if the
 * endpoint serves the receipts of whole blocks.
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

export function blockReads(options: BlockReadsOptions): BlockReads {
  const { network, filter, log, proveHistory, pool, proof, clock } = options
  const bloomClaims = bloomCheck([...filter.topics, ...filter.emitters])
  const logged = { filter, bloomClaims, logsWithoutTransaction: NETWORKS[network].hasLogsWithoutTransaction, log }
  const history = { ...logged, readProven: proof.readProven, share: proveHistory ?? 1, random: () => clock.random() }
  const archive = openArchive(options)
  const lastRead: { [How in ReadHow]?: number } = {}
  const noteRead = (blocks: number, how: ReadHow) => {
    lastRead[how] = clock.now()
    options.onRead(blocks, how)
  }

  async function readHead(session: Session, { from, to }: BlockRange): Promise<Block[]> {
    const blocks: Block[] = []
    for (let next = from; next <= to; next = from + blocks.length) {
      const range = { from: next, to: Math.min(to, next + session.endpoint.blocksPerBatch - 1) }
      const proven = await proof.readProven(session, range)
      const part = proven ?? (await readLoggedBlocks(session, range, logged))
      if (proven === null) await proof.logs.confirmHead(session, part)
      noteRead(part.length, proven === null ? 'unproven' : 'proven')
      blocks.push(...part)
    }
    checkLinks(session, blocks)
    proof.headSample.checkLater(session, blocks)
    return blocks
  }

  async function readFinal(session: Session, range: BlockRange, secondOpinion: boolean) {
    const reading = readHistory(session, range, history)
    const [{ isProven, ...part }] = await Promise.all([reading, proof.anchor.check(session, range.to)])
    if (!isProven) await proof.logs.confirmFinal(session, part, part.blocks, secondOpinion)
    await proof.historySample.check(session, part.blocks)
    noteRead(part.to - part.from + 1, isProven ? 'proven' : 'unproven')
    return part
  }

  return {
    async readBlocks(from, to) {
      const operation = { what: `blocks ${from} to ${to}`, priority: 'live', method: 'eth_getLogs' } as const
      try {
        return await pool.run(operation, (session) => readHead(session, { from, to }))
      } catch (error) {
        await options.onFailure(to)
        throw error
      }
    },
    async readRange(from, to, { secondOpinion = false } = {}) {
      const archived = secondOpinion ? null : await archive?.readRange({ from, to })
      if (archived) {
        noteRead(archived.to - archived.from + 1, 'archived')
        return archived
      }
      const what = `blocks ${from} to ${to}`
      const operation = { what, priority: 'bulk', method: 'eth_getLogs', leastPreferredFirst: secondOpinion } as const
      return pool.run(operation, (session) => readFinal(session, { from, to }, secondOpinion))
    },
    readsUnproven() {
      const { proven, archived, unproven } = lastRead
      if (unproven !== undefined && clock.now() - unproven < UNPROVEN_FOR_MS) return true
      return proven === undefined && archived === undefined ? null : false
    },
    async close() {
      await archive?.close()
    },
  }
}

function openArchive(options: BlockReadsOptions): ArchiveHistory | null {
  const { archive, pool, proof, proveHistory } = options
  if (archive === null) return null
  const { readProven } = proof
  return new ArchiveHistory(new Portal({ ...options, ...archive }), pool, {
    ...options,
    readProven,
    share: proveHistory ?? ARCHIVE_SHARE,
  })
}
