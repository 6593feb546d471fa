import { type Block, type BlockRange, MINUTE } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { BlockProver } from '../proof/block-prover.ts'
import { NotProvable, readProven } from './read-proven.ts'
import { type LoggedBlocksOptions, readWithLogs } from './read-with-logs.ts'

export interface ReadBlocksOptions extends LoggedBlocksOptions {
  prover: () => Promise<BlockProver>
  /** Clock milliseconds. */
  now: () => number
  /** Is called with the number of blocks that were read. */
  onRead: (blocks: number, proof: 'proven' | 'unproven') => void
}

/** An endpoint that could not prove a block is asked again after this time. */
const NO_PROOFS_MS = 10 * MINUTE

/**
 * Every block of a range near the head: proven by its receipts where the endpoint serves them, else with the logs that
 * the node tells.
 */
export async function readBlocks(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[]> {
  const { endpoint } = session
  const blocks: Block[] = []
  while (blocks.length < range.to - range.from + 1) {
    const from = range.from + blocks.length
    const part = { from, to: Math.min(range.to, from + endpoint.blocksPerBatch - 1) }
    const proven = await proveIfServed(session, part, options)
    const logged = { from, to: Math.min(part.to, from + endpoint.topicRange.blocks - 1) }
    const read = proven ?? (await readWithLogs(session, logged, options))
    options.onRead(read.length, proven === null ? 'unproven' : 'proven')
    blocks.push(...read)
  }
  checkLinks(session, blocks)
  return blocks
}

/** Null where the endpoint does not serve what proves a block. */
async function proveIfServed(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[] | null> {
  const { endpoint } = session
  if (options.now() < endpoint.provesFrom) return null
  try {
    return await readProven(session, range, { ...options, prover: await options.prover() })
  } catch (error) {
    if (!(error instanceof NotProvable || lacksReceipts(error))) throw error
    endpoint.provesFrom = options.now() + NO_PROOFS_MS
    options.log.info({ endpoint: endpoint.masked, reason: error.message }, 'blocks are read without proof')
    return null
  }
}

/** Whether just the question for the receipts was refused, and not for being too large or too early. */
function lacksReceipts(error: unknown): error is EndpointFailure {
  if (!(error instanceof EndpointFailure && error.method === 'eth_getBlockReceipts')) return false
  return ['unsupported', 'dead', 'other'].includes(error.verdict.kind)
}

function checkLinks(session: Session, blocks: readonly Block[]): void {
  blocks.forEach((block, i) => {
    const parent = blocks[i - 1]
    if (parent && block.parentHash !== parent.hash) {
      throw session.inconsistent(`block ${block.number} does not build on block ${parent.number}`)
    }
  })
}
