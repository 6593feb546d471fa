import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import { blockRequest, logsOfBlockRequest, logsRequest } from '../json-rpc/requests.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { byBlockNumber, inLogOrder, type PlacedLog, readLogs } from '../json-rpc/rpc-log.ts'
import { blockAssembler } from './assemble-block.ts'
import { explainBlooms } from './confirm-no-logs.ts'
import { expectBlock, noteBlockSize } from './fetch-blocks.ts'
import type { BloomClaim } from './logs-bloom.ts'

export interface ReadBlocksOptions {
  topics: readonly Hex[]
  bloomClaims: (logsBloom: Hex) => BloomClaim
  logsWithoutTransaction: boolean
  log: ChainLog
}

/**
 * Every block of a range near the head. One round trip brings blocks and logs together; logs count only under their
 * block's own hash, and where there are none the node is asked once more by that hash, because by number a lagging
 * backend answers with nothing instead of an error.
 */
export async function readBlocks(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[]> {
  const blocks: Block[] = []
  let from = range.from
  while (from <= range.to) {
    const { blocksPerBatch, topicRange } = session.endpoint
    const to = Math.min(range.to, from + Math.min(blocksPerBatch, topicRange.blocks) - 1)
    const part = await readLinked(session, { from, to }, options)
    blocks.push(...part)
    from += part.length
  }
  checkLinks(session, blocks)
  return blocks
}

async function readLinked(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[]> {
  const numbers = Array.from({ length: range.to - range.from + 1 }, (_, i) => range.from + i)
  const { results, bytes } = await askHalving(session, numbers, options.topics)
  const full = results.slice(1).map((result, i) => expectBlock(session, range.from + i, result))
  noteBlockSize(session, full.length, bytes)
  const logs = readLogs(results[0], session.inconsistent)
  const stray = logs.find(({ blockNumber: n }) => n < range.from || n >= range.from + full.length)
  if (stray) throw session.inconsistent(`a log of block ${stray.blockNumber}, asked for ${range.from} to ${range.to}`)
  const byBlock = byBlockNumber(inLogOrder(logs))
  await confirmEmpty(
    session,
    full.filter(({ header }) => !byBlock.has(header.number)),
    byBlock,
    options,
  )
  const { logsWithoutTransaction } = options
  const assemble = blockAssembler({ logsWithoutTransaction, inconsistent: session.inconsistent })
  return full.map((block) => {
    const own = byBlock.get(block.header.number) ?? []
    if (own.length > 0 && options.bloomClaims(block.logsBloom) === 'none') {
      options.log.warn(
        { endpoint: session.endpoint.masked, block: block.header.number },
        'logs against the bloom: kept',
      )
    }
    return assemble(block, own)
  })
}

/** The logs of all numbers, then each block; fewer blocks where the answer would be too large. */
async function askHalving(session: Session, numbers: readonly number[], topics: readonly Hex[]) {
  for (let asked = numbers; ; asked = asked.slice(0, asked.length >> 1)) {
    const range = { from: asked[0] ?? 0, to: asked.at(-1) ?? 0 }
    try {
      return await session.ask([logsRequest({ topics }, range), ...asked.map(blockRequest)])
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      if (error.verdict.kind !== 'range' || !error.verdict.sure || asked.length === 1) throw error
      session.endpoint.blocksPerBatch = Math.max(1, asked.length >> 1)
      if (error.verdict.maxBlocks !== null) session.endpoint.topicRange.refused(range, error.verdict)
    }
  }
}

/** Asks for the logs of blocks without any by hash, and puts what comes into `byBlock`. */
async function confirmEmpty(
  session: Session,
  empty: readonly FullBlock[],
  byBlock: Map<number, PlacedLog[]>,
  { topics, bloomClaims }: ReadBlocksOptions,
): Promise<void> {
  if (empty.length === 0) return
  const { results } = await session.ask(empty.map(({ header }) => logsOfBlockRequest({ topics }, header.hash)))
  const claimed = empty.filter(({ header: { number, hash }, logsBloom }, i) => {
    const logs = readLogs(results[i], session.inconsistent)
    if (logs.some(({ blockNumber }) => blockNumber !== number))
      throw session.inconsistent(`logs of another block for ${hash}`)
    if (logs.length > 0) byBlock.set(number, inLogOrder(logs))
    return logs.length === 0 && bloomClaims(logsBloom) === 'strong'
  })
  await explainBlooms(session, claimed, { topics })
}

function checkLinks(session: Session, blocks: readonly Block[]): void {
  blocks.forEach((block, i) => {
    const parent = blocks[i - 1]
    if (parent && block.parentHash !== parent.hash) {
      throw session.inconsistent(`block ${block.number} does not build on block ${parent.number}`)
    }
  })
}
