import type { BlockHeader, BlockRange, Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import type { LogRange } from '../endpoints/log-range.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { ObjectTexts } from '../json-rpc/cut-lists.ts'
import { headerRequest, type LogFilter, logsRequests, responseCount } from '../json-rpc/messages.ts'
import { EMPTY_BLOOM, readBloom } from '../json-rpc/rpc-block.ts'
import { inLogOrder, type PlacedLog, readFoundLogs } from '../json-rpc/rpc-log.ts'
import { headerAt } from './read-header.ts'

export interface FetchedLogs extends BlockRange {
  blockNumbers: number[]
  /**
   * Parses the logs on the first call and returns them in log order, without duplicates.
   *
   * @throws ChainInconsistent if they do not match the request
   */
  logs(): PlacedLog[]
  first: BlockHeader
  last: BlockHeader
  lastBloom: Hex
}

export function fetchLogs(
  session: Session,
  sizes: LogRange,
  filter: LogFilter,
  requested: BlockRange,
): Promise<FetchedLogs> {
  return requestShrinking(sizes, requested, async (range) => {
    const { first, last, bytes, ...found } = await requestLogs(session, filter, range)
    if (!last) throw session.missing(`block ${range.to}`)
    if (!first) throw session.missing(`block ${range.from}`)
    sizes.served(range.to - range.from + 1, bytes)
    return { ...found, first, last }
  })
}

/** Like `fetchLogs`, but the node may lack the first and the last block of the range. */
export function fetchSparseLogs(
  session: Session,
  sizes: LogRange,
  filter: LogFilter,
  requested: BlockRange,
): Promise<Pick<FetchedLogs, 'from' | 'to' | 'logs'>> {
  return requestShrinking(sizes, requested, async (range) => {
    const { bytes, ...found } = await requestLogs(session, filter, range)
    sizes.served(range.to - range.from + 1, bytes)
    return found
  })
}

async function requestShrinking<T>(
  sizes: LogRange,
  requested: BlockRange,
  request: (range: BlockRange) => Promise<T>,
): Promise<T> {
  let to = Math.min(requested.to, requested.from + sizes.blocks - 1)
  for (let refusals = 0; ; refusals++) {
    const range = { from: requested.from, to }
    try {
      return await request(range)
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      sizes.refused(range, error.verdict)
      const { verdict } = error
      if (verdict.kind !== 'range' || verdict.to === null || !verdict.sure) throw error
      // A node may suggest ranges that barely shrink: follow only a few of them, then halve.
      to = refusals < 4 ? verdict.to : Math.min(verdict.to, range.from + ((range.to - range.from) >> 1))
    }
  }
}

interface Ends {
  first: BlockHeader | null
  last: BlockHeader | null
}
type RequestedLogs = Omit<FetchedLogs, keyof Ends> & Ends & { bytes: number }

async function requestLogs(session: Session, filter: LogFilter, range: BlockRange): Promise<RequestedLogs> {
  const { from, to } = range
  const { results, bytes } = await session.request([
    ...logsRequests(filter, range),
    headerRequest(to),
    headerRequest(from),
  ])
  const responses = results.slice(0, responseCount(filter))
  const [shownLast, shownFirst] = results.slice(responses.length)
  const last = headerAt(session, to, shownLast)
  const first = headerAt(session, from, shownFirst)
  if (from === to && first?.hash !== last?.hash) throw session.inconsistent(`two blocks ${from}`)
  let read: PlacedLog[] | null = null
  const logs = (): PlacedLog[] => {
    read ??= inLogOrder(
      checkedLogs(session, readFoundLogs(responses, filter, session.inconsistent), range, { first, last }),
    )
    return read
  }
  // The second response must be parsed to filter out the emitters' logs that have topics.
  const stated =
    (responses.length === 1 ? statedNumbers(responses[0], range) : null) ?? logs().map(({ blockNumber }) => blockNumber)
  const blockNumbers = [...new Set(stated)].sort((a, b) => a - b)
  const lastBloom = last ? readBloom(shownLast) : EMPTY_BLOOM
  return { from, to, blockNumbers, logs, first, last, lastBloom, bytes }
}

function checkedLogs(
  session: Session,
  logs: PlacedLog[],
  { from, to }: BlockRange,
  { first, last }: Ends,
): PlacedLog[] {
  for (const { blockNumber, blockHash } of logs) {
    if (blockNumber < from || blockNumber > to)
      throw session.inconsistent(`a log of block ${blockNumber} outside ${from} to ${to}`)
    const boundary = blockNumber === from ? first : blockNumber === to ? last : null
    if (boundary && boundary.hash !== blockHash)
      throw session.inconsistent(`a log of block ${blockNumber} is of ${blockHash}`)
  }
  return logs
}

function statedNumbers(result: unknown, { from, to }: BlockRange): number[] | null {
  if (!(result instanceof ObjectTexts)) return null
  const numbers: number[] = []
  for (let i = 0; i < result.count; i++) {
    const number = Number(result.field(i, 'blockNumber'))
    if (!(number >= from && number <= to)) return null
    numbers.push(number)
  }
  return numbers
}
