import type { Block, BlockRange } from '@dexfeed/dex'
import type { Session } from '../../endpoints/session.ts'
import { ProofFailed } from '../../errors/chain-error.ts'
import { checkLinks, withoutEmpty } from '../assemble-block.ts'
import type { BlockProof } from '../block-proof.ts'
import { type ReadRangeOptions, readRange } from '../read-range.ts'

export interface ReadHistoryOptions extends ReadRangeOptions {
  proof: BlockProof
  /** Share of the blocks that is proven if the endpoint serves receipts; from 0 to 1. */
  proveHistory: number
  /** From 0 up to, not including, 1. */
  random: () => number
}

export interface HistoryPart extends BlockRange {
  /** Without blocks that have no logs, except the first and the last. */
  blocks: Block[]
  isProven: boolean
}

/** How far one response may exceed the target size, so that no small one follows. */
const EXCESS = 1.3

/**
 * Reads as much of a range of final blocks as one response holds.
 *
 * - If all blocks are proven, each costs two requests.
 * - Else one request reads the logs of the range, and one more each block that has logs. Random blocks are compared
 *   with their receipts.
 *
 * @throws ProofFailed if logs and receipts do not belong to one block
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
 * Whether to request a range as one, although it slightly exceeds the target. Block sizes vary, and each response also
 * costs a request for a known block. So one or two remaining blocks do not get a separate response.
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
