import type { BlockRange } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcRequest } from '../json-rpc/messages.ts'
import { type FullBlock, readFullBlock } from '../json-rpc/rpc-block.ts'

/** Aim of the answer to one batch of full blocks: smaller ones are let go of sooner. */
const TARGET_BYTES = 3 * 1024 * 1024
/** Where questions are counted: with each answer the endpoint is asked for a block that is known. */
const COUNTED_TARGET_BYTES = 6 * 1024 * 1024
const MOST_BLOCKS = 50

/** Asks what `requestsOf` makes of a range's block numbers; of the first of them where the answer would be too large. */
export async function askHalving(
  session: Session,
  { from, to }: BlockRange,
  requestsOf: (numbers: readonly number[]) => RpcRequest[],
): Promise<{ numbers: readonly number[]; results: unknown[]; bytes: number }> {
  for (
    let asked = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    ;
    asked = asked.slice(0, asked.length >> 1)
  ) {
    try {
      return { numbers: asked, ...(await session.ask(requestsOf(asked))) }
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      if (error.verdict.kind !== 'range' || !error.verdict.sure || asked.length === 1) throw error
      session.endpoint.blocksPerBatch = Math.max(1, asked.length >> 1)
      if (error.verdict.maxBlocks !== null)
        session.endpoint.topicRange.refused({ from, to: from + asked.length - 1 }, error.verdict)
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
  endpoint.blocksPerBatch = Math.max(1, Math.min(fitting, endpoint.blocksPerBatch * 2, MOST_BLOCKS))
}
