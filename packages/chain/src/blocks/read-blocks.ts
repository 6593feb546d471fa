import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Session } from '../endpoints/session.ts'
import { blockRequest, type LogFilter, logsOfBlockRequests, logsRequests, responseCount } from '../json-rpc/requests.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { byBlockNumber, inLogOrder, type PlacedLog, readFoundLogs } from '../json-rpc/rpc-log.ts'
import { blockAssembler, checkLinks } from './assemble-block.ts'
import type { BlockProof } from './block-proof.ts'
import { explainBlooms } from './confirm-no-logs.ts'
import { expectBlock, noteBlockSize, requestHalving } from './fetch-blocks.ts'
import type { BloomClaim } from './logs-bloom.ts'

export interface ReadBlocksOptions extends LoggedBlocksOptions {
  proof: BlockProof
  onRead: (blocks: number, proof: 'proven' | 'unproven') => void
}

/** Reads every block of a range near the head: proven if the endpoint serves receipts, else confirmed. */
export async function readBlocks(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[]> {
  const { endpoint } = session
  const blocks: Block[] = []
  while (blocks.length < range.to - range.from + 1) {
    const from = range.from + blocks.length
    const part = { from, to: Math.min(range.to, from + endpoint.blocksPerBatch - 1) }
    const proven = await options.proof.readProven(session, part)
    const logged = { from, to: Math.min(part.to, from + endpoint.topicRange.blocks - 1) }
    const read = proven ?? (await readConfirmed(session, logged, options))
    options.onRead(read.length, proven === null ? 'unproven' : 'proven')
    blocks.push(...read)
  }
  checkLinks(session, blocks)
  return blocks
}

async function readConfirmed(session: Session, range: BlockRange, options: ReadBlocksOptions): Promise<Block[]> {
  const blocks = await readWithLogs(session, range, options)
  await options.proof.confirmHead(session, blocks)
  return blocks
}

interface LoggedBlocksOptions {
  filter: LogFilter
  bloomClaims: (logsBloom: Hex) => BloomClaim
  logsWithoutTransaction: boolean
  log: ChainLog
}

/**
 * Reads unproven blocks with the logs that the node reports, as many from the start of the range as one response holds.
 *
 * Blocks and logs come in one round trip, and logs count only under their block's hash. A block without logs is
 * requested again by hash: by number, a lagging backend returns an empty list instead of an error.
 */
async function readWithLogs(session: Session, range: BlockRange, options: LoggedBlocksOptions): Promise<Block[]> {
  const { filter } = options
  const responses = responseCount(filter)
  const { results, bytes } = await requestHalving(session, range, (requested) => {
    const span = { from: range.from, to: requested.at(-1) ?? range.to }
    return [...logsRequests(filter, span), ...requested.map(blockRequest)]
  })
  const full = results.slice(responses).map((result, i) => expectBlock(session, range.from + i, result))
  noteBlockSize(session, full.length, bytes)
  const logs = readFoundLogs(results.slice(0, responses), filter, session.inconsistent)
  const stray = logs.find(({ blockNumber: n }) => n < range.from || n >= range.from + full.length)
  if (stray) throw session.inconsistent(`a log of block ${stray.blockNumber}, requested ${range.from} to ${range.to}`)
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
        'block has logs that its bloom denies: logs are kept',
      )
    }
    return assemble(block, own)
  })
}

/** Requests logs by hash for blocks that have none, and puts them into `byBlock`. */
async function confirmEmpty(
  session: Session,
  empty: readonly FullBlock[],
  byBlock: Map<number, PlacedLog[]>,
  { filter, bloomClaims }: LoggedBlocksOptions,
): Promise<void> {
  if (empty.length === 0) return
  const { results } = await session.request(empty.flatMap(({ header }) => logsOfBlockRequests(filter, header.hash)))
  const responses = responseCount(filter)
  const claimed = empty.filter(({ header: { number, hash }, logsBloom }, i) => {
    const logs = readFoundLogs(results.slice(i * responses, (i + 1) * responses), filter, session.inconsistent)
    if (logs.some(({ blockNumber }) => blockNumber !== number))
      throw session.inconsistent(`logs of another block for ${hash}`)
    if (logs.length > 0) byBlock.set(number, inLogOrder(logs))
    return logs.length === 0 && bloomClaims(logsBloom) === 'strong'
  })
  await explainBlooms(session, claimed, filter)
}
