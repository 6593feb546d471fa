import type { Block, BlockRange } from '@dexfeed/dex'
import type { Session } from '../../endpoints/session.ts'
import { ProofFailed } from '../../errors/chain-error.ts'
import { checkLinks, withoutEmpty } from '../assemble-block.ts'
import type { BlockProof } from '../block-proof.ts'
import { type ReadRangeOptions, readRange } from '../read-range.ts'

export interface ReadHistoryOptions extends ReadRangeOptions {
  proof: BlockProof
  /** Which share of the blocks is proven where the endpoint serves their receipts; from 0 to 1. */
  proveHistory: number
  /** At least 0, below 1. */
  random: () => number
}

export interface HistoryPart extends BlockRange {
  /** Without those that have no logs, but for the first and the last one. */
  blocks: Block[]
  /** Whether every block of the range was. */
  isProven: boolean
}

/** How much larger than what is aimed at one answer may be, lest a small one follows. */
const EXCESS = 1.3

/**
 * As much of a range of final blocks as one answer brings. Proven whole, a block is two questions; proven in part, the
 * logs of a range are one and each block that has some is another, and what the node tells of the rest is held against
 * the receipts of blocks that nobody can foresee.
 *
 * @throws ProofFailed where logs and receipts are not of one block
 */
export async function readHistory(
  session: Session,
  requested: BlockRange,
  options: ReadHistoryOptions,
): Promise<HistoryPart> {
  if (options.proveHistory >= 1) {
    const most = session.endpoint.blocksPerBatch
    const to = isAboutOne(requested, most) ? requested.to : requested.from + most - 1
    const blocks = await options.proof.readProven(session, { from: requested.from, to })
    if (blocks !== null) {
      checkLinks(session, blocks)
      return {
        from: requested.from,
        to: requested.from + blocks.length - 1,
        blocks: withoutEmpty(blocks),
        isProven: true,
      }
    }
  }
  const read = await readRange(session, requested, options)
  for (let number = read.from; number <= read.to; number++) {
    if (options.proveHistory > options.random()) await compareWithReceipts(session, number, read.blocks, options.proof)
  }
  return { ...read, isProven: false }
}

/**
 * Whether a range may be one answer although its blocks are somewhat more than are aimed at. Sizes differ from block to
 * block, and each answer costs the question for a block that is known: a block or two behind it shall not have their own.
 */
function isAboutOne({ from, to }: BlockRange, blocksPerBatch: number): boolean {
  return to - from + 1 <= blocksPerBatch * EXCESS
}

async function compareWithReceipts(
  session: Session,
  number: number,
  read: readonly Block[],
  proof: BlockProof,
): Promise<void> {
  const [proven] = (await proof.readProven(session, { from: number, to: number })) ?? []
  if (proven === undefined) return
  const reported = read.find((block) => block.number === number)
  if (reported !== undefined && reported.hash !== proven.hash) {
    throw session.inconsistent(`two blocks ${number}: ${reported.hash} and ${proven.hash}`)
  }
  if (JSON.stringify(reported?.logs ?? []) === JSON.stringify(proven.logs)) return
  const what = `${reported?.logs.length ?? 0} logs of a range for ${proven.logs.length} in its receipts`
  throw new ProofFailed({ endpoint: session.endpoint.masked, block: number, what })
}
