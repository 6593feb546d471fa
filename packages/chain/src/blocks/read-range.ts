import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import type { LogFilter } from '../json-rpc/requests.ts'
import { byBlockNumber, type PlacedLog } from '../json-rpc/rpc-log.ts'
import { blockAssembler, emptyBlock } from './assemble-block.ts'
import { confirmNoLogs } from './confirm-no-logs.ts'
import { fetchBlocks } from './fetch-blocks.ts'
import { fetchLogs } from './fetch-logs.ts'
import type { BloomClaim } from './logs-bloom.ts'

export interface ReadRangeOptions {
  filter: LogFilter
  bloomClaims: (logsBloom: Hex) => BloomClaim
  logsWithoutTransaction: boolean
}

/**
 * Reads as much of a range as one eth_getLogs returns, with the blocks that have logs and the boundary headers. All
 * come from one endpoint and are checked against each other. A lagging backend, or one that silently cuts long
 * responses, omits the end of the range: an end without logs is confirmed.
 */
export async function readRange(
  session: Session,
  requested: BlockRange,
  options: ReadRangeOptions,
): Promise<{ from: number; to: number; blocks: Block[] }> {
  const { filter, bloomClaims } = options
  const fetched = await fetchLogs(session, session.endpoint.topicRange, filter, requested)
  const { from, to, first, last, lastBloom, blockNumbers } = fetched
  const emptyEnd = blockNumbers.includes(to) ? [] : [{ header: last, logsBloom: lastBloom }]
  await confirmNoLogs(session, emptyEnd, filter, bloomClaims)
  let byBlock: Map<number, PlacedLog[]> | null = null
  const logsByBlock = (): Map<number, PlacedLog[]> => {
    byBlock ??= byBlockNumber(fetched.logs())
    return byBlock
  }
  const assemble = blockAssembler({ ...options, inconsistent: session.inconsistent })
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
    blocks.set(number, assemble(block, logsByBlock().get(number) ?? []))
  })
  const unfetched = [...logsByBlock().keys()].find((number) => !blocks.has(number))
  if (unfetched !== undefined) throw session.inconsistent(`logs of block ${unfetched} that state two numbers`)
  return { from, to, blocks: [...blocks.values()].sort((a, b) => a.number - b.number) }
}
