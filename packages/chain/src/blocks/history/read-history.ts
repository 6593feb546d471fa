import { type Block, type BlockRange, countBlocks } from '@dexfeed/dex'
import type { Session } from '../../endpoints/session.ts'
import { ProofFailed } from '../../errors/chain-error.ts'
import { checkLinks, withoutEmpty } from '../assemble-block.ts'
import type { BlockProof } from '../block-proof.ts'
import { type ReadRangeOptions, readRange } from '../read-range.ts'

export interface ReadHistoryOptions extends ReadRangeOptions {
  proof: BlockProof
  /** Share of the blocks that is proven if the endpoint serves receipts; from 0 to 1. */
  proveHistory: number
  /** Returns a number from 0 up to, but not including, 1. */
  random: () => number
}

export interface HistoryPart extends BlockRange {
  /** Blocks that have no logs are left out, except the first and the last. */
  blocks: Block[]
  isProven: boolean
}

/** How far one response may exceed the target size, so that no small one follows. */
const EXCESS = 1.3
const ITEMS_OF_WHOLE_BLOCK = 2

/**
 * Reads as much of a range of final blocks as one response holds.
 *
 * - If all blocks are proven, each costs two requests.
 * - Else one request reads the logs of the range, and one more each block that has logs. Random blocks are compared
 *   with their receipts. The caller then requests the receipt of each transaction with logs. If that was more than
 *   whole blocks take, the next part is read and proven whole.
 *
 * @throws ProofFailed if logs and receipts do not belong to one block
 */
export async function readHistory(
  session: Session,
  requested: BlockRange,
  options: ReadHistoryOptions,
): Promise<HistoryPart> {
  const { endpoint } = session
  if (options.proveHistory >= 1 || endpoint.hasDenseBlocks) {
    const most = endpoint.blocksPerBatch
    const to = isAboutOne(requested, most) ? requested.to : requested.from + most - 1
    const blocks = await options.proof.readProven(session, { from: requested.from, to })
    if (blocks !== null) {
      checkLinks(session, blocks)
      const range = { from: requested.from, to: requested.from + blocks.length - 1 }
      endpoint.hasDenseBlocks = options.proveHistory < 1 && isDense(range, blocks)
      return { ...range, blocks: withoutEmpty(blocks), isProven: true }
    }
  }
  const read = await readRange(session, requested, options)
  endpoint.hasDenseBlocks = isDense(read, read.blocks)
  for (let number = read.from; number <= read.to; number++) {
    if (options.proveHistory > options.random()) await compareWithReceipts(session, number, read.blocks, options.proof)
  }
  return { ...read, isProven: false }
}

/**
 * Returns whether to request a range as one, although it slightly exceeds the target. Block sizes vary, and each
 * response also costs a request for a known block, so one or two remaining blocks do not get a separate response.
 */
function isAboutOne({ from, to }: BlockRange, blocksPerBatch: number): boolean {
  return to - from + 1 <= blocksPerBatch * EXCESS
}

/** Whether whole blocks take fewer items than their logs: a block and its receipts, or each transaction with logs. */
function isDense(range: BlockRange, blocks: readonly Block[]): boolean {
  const items = blocks
    .filter(({ logs }) => logs.length > 0)
    .reduce((sum, { logs }) => sum + 1 + new Set(logs.map(({ transactionIndex }) => transactionIndex)).size, 0)
  return items > ITEMS_OF_WHOLE_BLOCK * countBlocks([range])
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
  const logs = reported?.logs ?? []
  if (JSON.stringify(logs) === JSON.stringify(proven.logs)) return
  const what = `${logs.length} logs of a range for ${proven.logs.length} in its receipts`
  throw new ProofFailed({ endpoint: session.endpoint.masked, block: number, what })
}
