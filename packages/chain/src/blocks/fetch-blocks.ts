import type { BlockRange } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import type { RpcRequest } from '../json-rpc/messages.ts'
import { blockRequest } from '../json-rpc/requests.ts'
import { type FullBlock, readFullBlock } from '../json-rpc/rpc-block.ts'

/** Aim of the answer to one batch of full blocks: smaller ones are let go of sooner. */
const TARGET_BYTES = 3 * 1024 * 1024
/** Where questions are counted: with each answer the endpoint is asked for a block that is known. */
const COUNTED_TARGET_BYTES = 6 * 1024 * 1024
const MOST_BLOCKS = 50
/** Answers that come in time until one block more is tried than did once not. */
const BATCHES_A_BLOCK_MORE = 20

/**
 * Asks what `requestsOf` makes of a range's block numbers; of the first of them where the answer would be too large, or
 * too late.
 */
export async function requestHalving(
  session: Session,
  { from, to }: BlockRange,
  requestsOf: (numbers: readonly number[]) => RpcRequest[],
): Promise<{ numbers: readonly number[]; results: unknown[]; bytes: number }> {
  for (
    let requested = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    ;
    requested = requested.slice(0, requested.length >> 1)
  ) {
    try {
      return { numbers: requested, ...(await session.request(requestsOf(requested))) }
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      const { verdict } = error
      const isTooMuch = verdict.kind === 'timeout' || (verdict.kind === 'range' && verdict.sure)
      if (!isTooMuch || requested.length === 1) throw error
      session.endpoint.blocksPerBatch = requested.length >> 1
      if (verdict.kind === 'timeout') session.endpoint.timelyBlocks = requested.length >> 1
      // The next attempt asks for half.
      if (verdict.kind === 'timeout' && error.down) throw error
      if (verdict.kind === 'range' && verdict.maxBlocks !== null)
        session.endpoint.topicRange.refused({ from, to: from + requested.length - 1 }, verdict)
    }
  }
}

export function expectBlock(session: Session, number: number, result: unknown): FullBlock {
  const block = readFullBlock(result)
  if (!block) throw session.missing(`block ${number}`)
  if (block.header.number !== number)
    throw session.inconsistent(`asked for block ${number}, got ${block.header.number}`)
  return block
}

/** Lets the next batch be as large as fits the aim. */
export function noteBlockSize({ endpoint }: Session, blocks: number, bytes: number): void {
  const target = endpoint.budget.state().perS === null ? TARGET_BYTES : COUNTED_TARGET_BYTES
  const fitting = Math.floor((target * blocks) / Math.max(1, bytes))
  if (blocks >= Math.floor(endpoint.timelyBlocks)) endpoint.timelyBlocks += 1 / BATCHES_A_BLOCK_MORE
  const most = Math.min(endpoint.blocksPerBatch * 2, Math.floor(endpoint.timelyBlocks), MOST_BLOCKS)
  endpoint.blocksPerBatch = Math.max(1, Math.min(fitting, most))
}

/** Batches of one operation under way at the same time. */
const IN_FLIGHT = 3

/**
 * Full blocks by number, batched by their size and a few batches at a time. `use` gets each as it arrives, in no
 * particular order, so that no more than a few batches of bodies are in memory.
 */
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
        // Nothing of it will be used: the other batches need not be fetched.
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

/** Half a batch may pass where the whole did not. */
function isTooLarge(error: unknown): error is EndpointFailure {
  return error instanceof EndpointFailure && (error.verdict.kind === 'range' || error.verdict.kind === 'timeout')
}
