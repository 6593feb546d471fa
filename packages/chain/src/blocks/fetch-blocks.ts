import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import { blockRequest } from '../json-rpc/requests.ts'
import { type FullBlock, readFullBlock } from '../json-rpc/rpc-block.ts'

/** Aim of one batch of full blocks. */
const TARGET_BYTES = 4 * 1024 * 1024
const MOST_BLOCKS = 50
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

export function expectBlock(session: Session, number: number, result: unknown): FullBlock {
  const block = readFullBlock(result)
  if (!block) throw session.missing(`block ${number}`)
  if (block.header.number !== number)
    throw session.inconsistent(`asked for block ${number}, got ${block.header.number}`)
  return block
}

/** Lets the next batch be as large as fits the aim. */
export function noteBlockSize({ endpoint }: Session, blocks: number, bytes: number): void {
  const fitting = Math.floor((TARGET_BYTES * blocks) / Math.max(1, bytes))
  endpoint.blocksPerBatch = Math.max(1, Math.min(fitting, endpoint.blocksPerBatch * 2, MOST_BLOCKS))
}

/** Half a batch may pass where the whole did not. */
function isTooLarge(error: unknown): error is EndpointFailure {
  return error instanceof EndpointFailure && (error.verdict.kind === 'range' || error.verdict.kind === 'timeout')
}
