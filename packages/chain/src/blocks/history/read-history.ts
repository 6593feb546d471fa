import { type Block, type BlockRange, countBlocks } from '@dexfeed/dex'
import type { Session } from '../../endpoints/endpoint-pool.ts'
import { ProofFailed } from '../../errors/chain-error.ts'
import { checkLinks, withoutEmpty } from '../assemble-block.ts'
import type { ReadProven } from '../block-proof.ts'
import { type LoggedBlocksOptions, readLoggedRange } from '../logged-blocks.ts'

export interface ReadHistoryOptions extends LoggedBlocksOptions {
  readProven: ReadProven
  share: number
  random: () => number
}

export interface HistoryPart extends BlockRange {
  blocks: Block[]
  isProven: boolean
}

/** Read a range in one batch if it exceeds the batch size by no more than this factor, to avoid a small remainder. */
const EXCESS = 1.3
const ITEMS_OF_WHOLE_BLOCK = 2

/**
 * Reads blocks from the start of a range of final blocks, as many as one response holds. A proven block costs two
 * requests. An unproven part costs one request for all its logs, and one more for each block and each transaction with
 * logs. If that exceeds the cost of proving the part, the next part is proven.
 *
 * @throws ProofFailed if the reported logs differ from the block's proven receipts
 */
export async function readHistory(
  session: Session,
  requested: BlockRange,
  options: ReadHistoryOptions,
): Promise<HistoryPart> {
  const { endpoint } = session
  const { readProven, share, random } = options
  if (share >= 1 || endpoint.hasDenseBlocks) {
    const { from } = requested
    const blocksPerBatch = endpoint.blocksPerBatch
    const isAboutOneBatch = countBlocks([requested]) <= blocksPerBatch * EXCESS
    const blocks = await readProven(session, { from, to: isAboutOneBatch ? requested.to : from + blocksPerBatch - 1 })
    if (blocks !== null) {
      checkLinks(session, blocks)
      const range = { from, to: from + blocks.length - 1 }
      endpoint.hasDenseBlocks = share < 1 && isDense(range, blocks)
      return { ...range, blocks: withoutEmpty(blocks), isProven: true }
    }
  }
  const read = await readLoggedRange(session, requested, options)
  endpoint.hasDenseBlocks = isDense(read, read.blocks)
  for (let number = read.from; number <= read.to; number++) {
    if (share > random()) await compareWithReceipts(session, number, read.blocks, readProven)
  }
  return { ...read, isProven: false }
}

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
  readProven: ReadProven,
): Promise<void> {
  const [proven] = (await readProven(session, { from: number, to: number })) ?? []
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
