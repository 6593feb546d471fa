import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { blockRequest, type LogFilter, logsOfBlockRequests, logsRequests, responseCount } from '../json-rpc/messages.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { byBlockNumber, inLogOrder, type PlacedLog, readFoundLogs } from '../json-rpc/rpc-log.ts'
import { assembleBlock, emptyBlock } from './assemble-block.ts'
import { type BloomClaim, confirmNoLogs, explainBlooms } from './confirm-no-logs.ts'
import { expectBlock, fetchBlocks, noteBlockSize, requestHalving } from './fetch-blocks.ts'
import { fetchLogs } from './fetch-logs.ts'

export interface LoggedBlocksOptions {
  filter: LogFilter
  bloomClaims: (logsBloom: Hex) => BloomClaim
  logsWithoutTransaction: boolean
  log: ChainLog
}

/**
 * Reads blocks near the head with the logs that the node reports, as many as one response holds, without a proof.
 * Requests the logs of seemingly empty blocks again by hash, because by number a lagging backend returns an empty list
 * instead of an error.
 */
export async function readLoggedBlocks(
  session: Session,
  { from, to }: BlockRange,
  options: LoggedBlocksOptions,
): Promise<Block[]> {
  const { filter, bloomClaims, logsWithoutTransaction, log } = options
  const range = { from, to: Math.min(to, from + session.endpoint.topicRange.blocks - 1) }
  const { results, bytes } = await requestHalving(session, range, (numbers) => [
    ...logsRequests(filter, { from, to: numbers.at(-1) ?? range.to }),
    ...numbers.map(blockRequest),
  ])
  const responses = responseCount(filter)
  const full = results.slice(responses).map((result, i) => expectBlock(session, from + i, result))
  noteBlockSize(session, full.length, bytes)
  const logs = readFoundLogs(results.slice(0, responses), filter, session.inconsistent)
  const stray = logs.find(({ blockNumber }) => blockNumber < from || blockNumber >= from + full.length)
  if (stray) throw session.inconsistent(`a log of block ${stray.blockNumber}, requested ${from} to ${range.to}`)
  const byBlock = byBlockNumber(inLogOrder(logs))
  const empty = full.filter(({ header }) => !byBlock.has(header.number))
  await requestByHash(session, empty, byBlock, options)
  return full.map((block) => {
    const { number } = block.header
    const blockLogs = byBlock.get(number) ?? []
    if (blockLogs.length > 0 && bloomClaims(block.logsBloom) === 'none') {
      const fields = { endpoint: session.endpoint.masked, block: number }
      log.warn(fields, 'block has logs that its bloom filter excludes: the logs are kept')
    }
    return assembleBlock(block, blockLogs, session.inconsistent, logsWithoutTransaction)
  })
}

async function requestByHash(
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

/**
 * Reads as much of a range of history as one eth_getLogs response holds: blocks with logs, and the first and the last
 * block. A backend that lags or cuts long responses omits logs at the end, so if the last block has none, that is
 * confirmed.
 */
export async function readLoggedRange(
  session: Session,
  requested: BlockRange,
  { filter, bloomClaims, logsWithoutTransaction }: LoggedBlocksOptions,
): Promise<BlockRange & { blocks: Block[] }> {
  const fetched = await fetchLogs(session, session.endpoint.topicRange, filter, requested)
  const { from, to, first, last, lastBloom, blockNumbers } = fetched
  const emptyEnd = blockNumbers.includes(to) ? [] : [{ header: last, logsBloom: lastBloom }]
  await confirmNoLogs(session, emptyEnd, filter, bloomClaims)
  let byBlock: Map<number, PlacedLog[]> | null = null
  const logsByBlock = (): Map<number, PlacedLog[]> => {
    byBlock ??= byBlockNumber(fetched.logs())
    return byBlock
  }
  const blocks = new Map<number, Block>([
    [from, emptyBlock(first)],
    [to, emptyBlock(last)],
  ])
  await fetchBlocks(session, blockNumbers, (block) => {
    const { number, hash } = block.header
    const boundary = blocks.get(number)
    if (boundary && boundary.hash !== hash) {
      throw session.inconsistent(`two blocks ${number}: ${boundary.hash} and ${hash}`)
    }
    const logs = logsByBlock().get(number) ?? []
    blocks.set(number, assembleBlock(block, logs, session.inconsistent, logsWithoutTransaction))
  })
  const unfetched = [...logsByBlock().keys()].find((number) => !blocks.has(number))
  if (unfetched !== undefined) throw session.inconsistent(`logs of block ${unfetched} that state two numbers`)
  return { from, to, blocks: [...blocks.values()].sort((a, b) => a.number - b.number) }
}
