import type { Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { type LogFilter, logsOfBlockRequests, responseCount } from '../json-rpc/messages.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { LogMatcher, readFoundLogs, readLogs } from '../json-rpc/rpc-log.ts'
import { type BloomClaim, explainsBloom } from './logs-bloom.ts'

export type EmptyBlock = Pick<FullBlock, 'header' | 'logsBloom'>

/**
 * Confirms that blocks have no matching logs. Where a bloom claims some, requests the logs by block hash, because only
 * a backend that has the block can answer that.
 *
 * @throws ChainInconsistent if there are such logs, or if nothing explains a strong claim
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
 * Checks that other logs of each block set all bits of its bloom, so that the bloom claims a matching log only by
 * chance. An endpoint that cannot return such logs is not trusted, even if it repeats its response.
 *
 * @throws ChainInconsistent
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
    const logs = readLogs(results[i], session.inconsistent).filter(({ blockHash }) => blockHash === hash)
    const values = logs.flatMap(({ address, topics }) => [address, ...topics])
    const hasOurs = logs.some(
      (log) => (topics.length === 0 || matcher.has(log)) && (addresses.length === 0 || addresses.includes(log.address)),
    )
    if (hasOurs || !explainsBloom(logsBloom, values)) {
      throw session.inconsistent(`no logs of block ${number}, but its bloom has them`)
    }
  })
}
