import type { Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import { type LogFilter, logsOfBlockRequests, responseCount } from '../json-rpc/requests.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { LogMatcher, readFoundLogs, readLogs } from '../json-rpc/rpc-log.ts'
import { type BloomClaim, explainsBloom } from './logs-bloom.ts'

/** A block of which the node has shown no log of the filter. */
export type EmptyBlock = Pick<FullBlock, 'header' | 'logsBloom'>

/**
 * Asks for the logs of blocks by their own hashes where their blooms allow for some and a range brought none: only a
 * backend that has a block can answer. @throws ChainInconsistent where there are such logs
 */
export async function confirmNoLogs(
  session: Session,
  blocks: readonly EmptyBlock[],
  filter: LogFilter,
  bloomClaims: (logsBloom: Hex) => BloomClaim,
): Promise<void> {
  const claimed = blocks.filter(({ logsBloom }) => bloomClaims(logsBloom) !== 'none')
  if (claimed.length === 0) return
  const { results } = await session.request(claimed.flatMap(({ header }) => logsOfBlockRequests(filter, header.hash)))
  const responses = responseCount(filter)
  claimed.forEach(({ header }, i) => {
    const found = readFoundLogs(results.slice(i * responses, (i + 1) * responses), filter, session.inconsistent)
    if (found.length > 0) throw session.inconsistent(`a range without the logs of block ${header.number}`)
  })
  const strong = claimed.filter(({ logsBloom }) => bloomClaims(logsBloom) === 'strong')
  await explainBlooms(session, strong, filter)
}

/**
 * A bloom that claims logs of ours may do so by chance: then the block's other logs make all of its bits. A node that
 * cannot show logs that do is not believed, however often it says so.
 *
 * @param claimed blocks of which the node has shown no log of the filter, though their blooms claim some
 */
export async function explainBlooms(
  session: Session,
  claimed: readonly EmptyBlock[],
  filter: LogFilter,
): Promise<void> {
  if (claimed.length === 0) return
  const { results } = await session.request(
    claimed.flatMap(({ header }) => logsOfBlockRequests({ topics: [] }, header.hash)),
  )
  const { topics, addresses = [] } = filter
  const matcher = new LogMatcher(filter)
  claimed.forEach(({ header: { number, hash }, logsBloom }, i) => {
    const own = readLogs(results[i], session.inconsistent).filter(({ blockHash }) => blockHash === hash)
    const values = own.flatMap(({ address, topics }) => [address, ...topics])
    // Ours among them: the answer without them was the lie.
    const hasOurs = own.some(
      (log) => (topics.length === 0 || matcher.has(log)) && (addresses.length === 0 || addresses.includes(log.address)),
    )
    if (hasOurs || !explainsBloom(logsBloom, values)) {
      throw session.inconsistent(`no logs of block ${number}, but its bloom has them`)
    }
  })
}
