import type { BlockRange } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { blockRequest, type RpcRequest } from '../json-rpc/messages.ts'
import { type FullBlock, readFullBlock } from '../json-rpc/rpc-block.ts'

/** Kept small, because small responses are freed sooner. */
const TARGET_BYTES = 3 * 1024 * 1024
/** Larger for an endpoint with a rate limit, because each response costs one more request, for a known block. */
const COUNTED_TARGET_BYTES = 6 * 1024 * 1024
const MAX_BLOCKS = 50
/** After this many timely responses, a batch may grow by one block beyond the limit that a timeout set. */
const BATCHES_A_BLOCK_MORE = 20

export async function requestHalving(
  session: Session,
  { from, to }: BlockRange,
  requestsOf: (numbers: readonly number[]) => RpcRequest[],
): Promise<{ numbers: readonly number[]; results: unknown[]; bytes: number }> {
  const { endpoint } = session
  for (let count = to - from + 1; ; count >>= 1) {
    const numbers = Array.from({ length: count }, (_, i) => from + i)
    try {
      return { numbers, ...(await session.request(requestsOf(numbers))) }
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      const { verdict } = error
      const isTooMuch = verdict.kind === 'timeout' || (verdict.kind === 'range' && verdict.sure)
      if (!isTooMuch || count === 1) throw error
      endpoint.blocksPerBatch = count >> 1
      if (verdict.kind === 'timeout') endpoint.timelyBlocks = count >> 1
      // The endpoint may be down, so let the pool retry, with half as many blocks.
      if (verdict.kind === 'timeout' && error.down) throw error
      if (verdict.kind === 'range' && verdict.maxBlocks !== null)
        endpoint.topicRange.refused({ from, to: from + count - 1 }, verdict)
    }
  }
}

export function expectBlock(session: Session, number: number, result: unknown): FullBlock {
  const block = readFullBlock(result)
  if (!block) throw session.missing(`block ${number}`)
  if (block.header.number !== number)
    throw session.inconsistent(`requested block ${number}, got ${block.header.number}`)
  return block
}

export function noteBlockSize({ endpoint }: Session, blocks: number, bytes: number): void {
  const target = endpoint.budget.state().perS === null ? TARGET_BYTES : COUNTED_TARGET_BYTES
  const fitting = Math.floor((target * blocks) / Math.max(1, bytes))
  if (blocks >= Math.floor(endpoint.timelyBlocks)) endpoint.timelyBlocks += 1 / BATCHES_A_BLOCK_MORE
  const max = Math.min(endpoint.blocksPerBatch * 2, Math.floor(endpoint.timelyBlocks), MAX_BLOCKS)
  endpoint.blocksPerBatch = Math.max(1, Math.min(fitting, max))
}

const IN_FLIGHT = 3

/** Fetches full blocks, a few batches at a time to save memory. Calls `use` with the blocks in no particular order. */
export async function fetchBlocks(
  session: Session,
  numbers: readonly number[],
  use: (block: FullBlock) => void,
): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < numbers.length) {
      const batch = numbers.slice(next, next + session.endpoint.blocksPerBatch)
      next += batch.length
      try {
        await fetchBatch(session, batch, use)
      } catch (error) {
        next = numbers.length
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
}

async function fetchBatch(
  session: Session,
  numbers: readonly number[],
  use: (block: FullBlock) => void,
): Promise<void> {
  try {
    const { results, bytes } = await session.request(numbers.map(blockRequest))
    noteBlockSize(session, numbers.length, bytes)
    numbers.forEach((number, i) => {
      use(expectBlock(session, number, results[i]))
    })
  } catch (error) {
    if (!isTooLarge(error) || numbers.length === 1) throw error
    const half = numbers.length >> 1
    session.endpoint.blocksPerBatch = Math.min(session.endpoint.blocksPerBatch, half)
    if (error.down) throw error
    await fetchBatch(session, numbers.slice(0, half), use)
    await fetchBatch(session, numbers.slice(half), use)
  }
}

function isTooLarge(error: unknown): error is EndpointFailure {
  return error instanceof EndpointFailure && (error.verdict.kind === 'range' || error.verdict.kind === 'timeout')
}
