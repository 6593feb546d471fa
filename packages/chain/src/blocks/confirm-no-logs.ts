import { type Hex, present } from '@dexfeed/dex'
import { keccak256 } from 'ethers'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { type LogFilter, logsOfBlockRequests, responseCount } from '../json-rpc/messages.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { LogMatcher, readFoundLogs, readLogs } from '../json-rpc/rpc-log.ts'

export type BloomClaim =
  | 'none'
  /** The block may have a match, but its bloom is too full to tell. */
  | 'weak'
  /** The block very probably has a match. */
  | 'strong'

const BLOOM_BITS = 2048
const BLOOM_HEX_LENGTH = 2 + BLOOM_BITS / 4
/** A claim is strong if the chance that other logs set its bits is below this. */
const CREDIBLE = 0.01

/**
 * Returns a function that reads from a block's bloom (Yellow Paper, 4.3.1) whether its logs have any of these topics or
 * addresses.
 */
export function bloomCheck(topics: readonly Hex[]): (logsBloom: Hex) => BloomClaim {
  const bits = topics.map(bitsOf)
  return (logsBloom) => {
    if (logsBloom.length !== BLOOM_HEX_LENGTH) return 'none'
    const bloom = Buffer.from(logsBloom.slice(2), 'hex')
    const has = (bit: number): boolean => ((present(bloom[BLOOM_BITS / 8 - 1 - (bit >> 3)]) >> (bit & 7)) & 1) === 1
    if (!bits.some((bits) => bits.every(has))) return 'none'
    const share = bloom.reduce((ones, byte) => ones + onesIn(byte), 0) / BLOOM_BITS
    return 1 - (1 - share ** 3) ** bits.length < CREDIBLE ? 'strong' : 'weak'
  }
}

export function explainsBloom(logsBloom: Hex, values: Iterable<Hex>): boolean {
  const explained = Buffer.alloc(BLOOM_BITS / 8)
  for (const value of new Set(values)) {
    for (const bit of bitsOf(value)) {
      const index = BLOOM_BITS / 8 - 1 - (bit >> 3)
      explained[index] = present(explained[index]) | (1 << (bit & 7))
    }
  }
  return Buffer.from(logsBloom.slice(2), 'hex').every((byte, index) => (byte & ~present(explained[index])) === 0)
}

function bitsOf(topic: Hex): readonly number[] {
  const hash = keccak256(topic)
  return [2, 6, 10].map((offset) => Number.parseInt(hash.slice(offset, offset + 4), 16) & (BLOOM_BITS - 1))
}

function onesIn(byte: number): number {
  let ones = 0
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1
  return ones
}

type EmptyBlock = Pick<FullBlock, 'header' | 'logsBloom'>

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
