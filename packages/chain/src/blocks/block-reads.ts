import { type Block, type BlockRange, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Session } from '../endpoints/session.ts'
import type { BlockProver } from '../proof/block-prover.ts'
import { ArchiveHistory } from './history/archive-history.ts'
import { Portal } from './history/portal.ts'
import { readHistory } from './history/read-history.ts'
import { bloomCheck } from './logs-bloom.ts'
import { readBlocks } from './read-blocks.ts'
import type { LogWitness } from './witness/log-witness.ts'
import type { OwnChain } from './witness/own-chain.ts'

/** `archived`: out of the archive, a part of them held against the node. */
export type ReadHow = 'proven' | 'unproven' | 'archived'

export interface BlockReadsOptions {
  network: NetworkName
  topics: readonly Hex[]
  log: ChainLog
  onRead: (blocks: number, how: ReadHow) => void
  /** Null: 1, and of what comes out of the archive 0.01. */
  proveHistory: number | null
  archive: { url: string; key: string | null } | null
}

/** What is read is of this chain, and told by more than one endpoint where nothing proves it. */
export interface Confirmation {
  own: OwnChain
  witness: LogWitness
  prover: () => Promise<BlockProver>
}

/** Blocks with their logs, from wherever they are had. */
export interface BlockReads {
  readRange(from: number, to: number, options?: { secondOpinion?: boolean }): Promise<BlockRange & { blocks: Block[] }>
  readBlocks(from: number, to: number): Promise<Block[]>
  close(): Promise<void>
}

const ARCHIVE_SHARE = 0.01

/** @param time.onFailure is called when blocks near the head could not be read: that head may have been made up */
export function openBlockReads(
  pool: EndpointPool,
  { network, topics, log, onRead, proveHistory, archive }: BlockReadsOptions,
  { own, witness, prover }: Confirmation,
  { clock, closed, onFailure }: { clock: Clock; closed: AbortSignal; onFailure: () => void },
): BlockReads {
  const { hasLogsWithoutTransaction: logsWithoutTransaction } = NETWORKS[network]
  const now = () => clock.now()
  const random = () => clock.random()
  const options = { topics, log, bloomClaims: bloomCheck(topics), logsWithoutTransaction, prover, now, random }
  const confirm = (session: Session, blocks: readonly Block[]) => witness.confirmBlocks(session, blocks, { topics })
  const portal = archive && new Portal({ ...archive, topics, log, clock, closed })
  const archived = portal && new ArchiveHistory(portal, pool, { ...options, share: proveHistory ?? ARCHIVE_SHARE })
  const method = 'eth_getLogs'
  return {
    async readRange(from, to, { secondOpinion = false } = {}) {
      const part = secondOpinion ? null : await archived?.readRange({ from, to })
      if (part) {
        onRead(part.to - part.from + 1, 'archived')
        return part
      }
      const operation = { what: `blocks ${from} to ${to}`, priority: 'bulk', method, backwards: secondOpinion } as const
      return pool.run(operation, async (session) => {
        const history = { ...options, proveHistory: proveHistory ?? 1 }
        const { isProven, ...read } = await readHistory(session, { from, to }, history)
        await own.check(session)
        if (!isProven) await witness.confirmFinal(session, read, read.blocks, { topics })
        onRead(read.to - read.from + 1, isProven ? 'proven' : 'unproven')
        return read
      })
    },
    async readBlocks(from, to) {
      const operation = { what: `blocks ${from} to ${to}`, priority: 'live', method } as const
      try {
        return await pool.run(operation, (session) =>
          readBlocks(session, { from, to }, { ...options, onRead, confirm }),
        )
      } catch (error) {
        onFailure()
        throw error
      }
    },
    async close() {
      await archived?.close()
    },
  }
}
