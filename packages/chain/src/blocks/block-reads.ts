import { type Block, type Hex, MINUTE, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Session } from '../endpoints/session.ts'
import type { BlockProver } from '../proof/block-prover.ts'
import { bloomCheck } from './logs-bloom.ts'
import { readBlocks } from './read-blocks.ts'
import { readHistory } from './read-history.ts'
import type { LogWitness } from './witness/log-witness.ts'
import type { OwnChain } from './witness/own-chain.ts'

export interface BlockReadsOptions {
  network: NetworkName
  topics: readonly Hex[]
  log: ChainLog
  onRead: (blocks: number, proof: 'proven' | 'unproven') => void
  proveHistory: number
  pool: EndpointPool
  own: OwnChain
  witness: LogWitness
  prover: () => Promise<BlockProver>
  clock: Clock
  /** Is called when blocks near the head could not be read. */
  onFailure: () => void
}

/** A reading that nothing proved is told for so long. */
const UNPROVEN_FOR_MS = 10 * MINUTE

/** The readings of blocks: proven, or confirmed by somebody else than the endpoint that they come from. */
export function blockReads(settings: BlockReadsOptions) {
  const { network, topics, log, proveHistory, pool, own, witness, prover, clock, onFailure } = settings
  const { hasLogsWithoutTransaction: logsWithoutTransaction } = NETWORKS[network]
  const now = () => clock.now()
  const options = { topics, log, bloomClaims: bloomCheck(topics), logsWithoutTransaction, prover, now }
  const history = { ...options, proveHistory, random: () => clock.random() }
  const confirm = (session: Session, blocks: readonly Block[]) => witness.confirmBlocks(session, blocks, { topics })
  const lastRead: { proven?: number; unproven?: number } = {}
  const onRead: BlockReadsOptions['onRead'] = (blocks, proof) => {
    lastRead[proof] = now()
    settings.onRead(blocks, proof)
  }
  const method = 'eth_getLogs'
  return {
    readsUnproven: (): boolean | null => {
      const { proven, unproven } = lastRead
      if (unproven !== undefined && now() - unproven < UNPROVEN_FOR_MS) return true
      return proven === undefined ? null : false
    },
    readRange: (from: number, to: number, { secondOpinion = false } = {}) =>
      pool.run(
        { what: `blocks ${from} to ${to}`, priority: 'bulk', method, backwards: secondOpinion },
        async (session) => {
          const { isProven, ...part } = await readHistory(session, { from, to }, history)
          await own.check(session)
          if (!isProven) await witness.confirmFinal(session, part, part.blocks, { topics })
          onRead(part.to - part.from + 1, isProven ? 'proven' : 'unproven')
          return part
        },
      ),
    readBlocks: async (from: number, to: number): Promise<Block[]> => {
      const operation = { what: `blocks ${from} to ${to}`, priority: 'live', method } as const
      try {
        return await pool.run(operation, (session) =>
          readBlocks(session, { from, to }, { ...options, onRead, confirm }),
        )
      } catch (error) {
        // The head that they were to be read up to may have been made up.
        onFailure()
        throw error
      }
    },
  }
}
