import type { Block, BlockRange } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import { checkLinks } from './block-list.ts'
import { type ProofOptions, readIfProven } from './proven/read-proven.ts'
import { type LoggedBlocksOptions, readWithLogs } from './read-with-logs.ts'

export interface ReadBlocksOptions extends LoggedBlocksOptions, ProofOptions {
  /** Compares logs that nothing proves with what another endpoint tells. */
  confirm: (session: Session, blocks: readonly Block[]) => Promise<void>
  /** Is called with the number of blocks that were read. */
  onRead: (blocks: number, proof: 'proven' | 'unproven') => void
}

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
    const proven = await readIfProven(session, part, options)
    const logged = { from, to: Math.min(part.to, from + endpoint.topicRange.blocks - 1) }
    const read = proven ?? (await readConfirmed(session, logged, options))
    options.onRead(read.length, proven === null ? 'unproven' : 'proven')
    blocks.push(...read)
  }
  checkLinks(session, blocks)
  return blocks
}

/** Blocks with the logs that the endpoint tells, and another one too where there is one that has these blocks. */
async function readConfirmed(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[]> {
  const blocks = await readWithLogs(session, range, options)
  await options.confirm(session, blocks)
  return blocks
}
