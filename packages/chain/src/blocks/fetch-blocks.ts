import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import { blockRequest } from '../json-rpc/requests.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { expectBlock, noteBlockSize } from './ask-blocks.ts'

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
    const { results, bytes } = await session.ask(numbers.map(blockRequest))
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
