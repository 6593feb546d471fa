import { setMaxListeners } from 'node:events'
import { type BlockHeader, type Hex, NETWORKS } from '@dexfeed/dex'
import { type CallBlock, type CallResults, callMany } from './call-many.ts'
import type { Chain, ChainOptions } from './chain.ts'
import { ChainError } from './chain-error.ts'
import type { ChainLog } from './chain-log.ts'
import { type Clock, systemClock } from './clock.ts'
import { openEndpoint } from './endpoint.ts'
import { type EndpointPool, endpointPool, type Session } from './endpoint-pool.ts'
import { headerRequest } from './fetch-blocks.ts'
import { httpEndpoint } from './http-endpoint.ts'
import { bloomCheck } from './logs-bloom.ts'
import { lookBack } from './look-back.ts'
import { maskUrl } from './mask-url.ts'
import { type Call, MULTICALL3 } from './multicall.ts'
import { readBlocks } from './read-blocks.ts'
import { type HeadReader, headReader } from './read-head.ts'
import { readRange } from './read-range.ts'
import { readTransactionLogs, readTransactions, type TransactionPlace } from './read-transactions.ts'
import { readHeader } from './rpc-block.ts'
import { MalformedAnswer } from './rpc-value.ts'
import { verifyChainId } from './verify-chain-id.ts'
import { watchHeads } from './watch-heads.ts'

const SECOND = 1000
const KIB = 1024
const DEFAULTS = {
  requestTimeoutMs: 15 * SECOND,
  operationTimeoutMs: 30 * SECOND,
  maxResponseBytes: 64 * KIB * KIB,
  requestsInFlight: 12,
  maxOutputBytes: 16 * KIB,
}

/** What a new pool and its tokens take; more than that is a snapshot, which waits for its turn. */
const SMALL_CALLS = 50

/** Receipts of one operation: a few batches, some megabytes. */
const TRANSACTIONS_PER_OPERATION = 200

/** A socket is only a hint: the start does not wait long for it. */
const SOCKET_CHECK_MS = 5 * SECOND

/** A chain that is silent for longer is a subscription that died: some block times, at least half a minute. */
const SILENT_BLOCKS = 12
const LEAST_SILENCE_MS = 30 * SECOND

/** Opens a network's RPC endpoints. No connection is made before the first question. */
export function openChain(options: ChainOptions, clock: Clock = systemClock): Chain {
  const settings = { ...DEFAULTS, ...options }
  const { network, log } = settings
  const { http, sockets } = sortUrls(options)
  const { chainId } = NETWORKS[network]
  const closing = new AbortController()
  // Every request and every pause under way listens.
  setMaxListeners(0, closing.signal)
  const pool = endpointPool({
    endpoints: http.map((url) => openOne(url, settings)),
    chainId,
    operationTimeoutMs: settings.operationTimeoutMs,
    closed: closing.signal,
    clock,
    log,
  })
  const heads = headReader(pool, clock, log)
  const watches = new Set<() => void>()

  return {
    network,
    verifyChainId: () =>
      verifyChainId(pool, {
        chainId,
        socketUrls: sockets,
        timeoutMs: Math.min(settings.requestTimeoutMs, SOCKET_CHECK_MS),
      }),
    ...singleReads(pool, heads),
    ...blockReads(pool, settings),
    callMany: callReads(pool, settings.maxOutputBytes, log),
    logsOf: (filter) => lookBack(pool, filter),
    onHead: (wake) => {
      const { pollMs } = settings
      const silenceMs = Math.max(LEAST_SILENCE_MS, SILENT_BLOCKS * NETWORKS[network].leastBlockTimeS * SECOND)
      const stop = watchHeads({ socketUrls: sockets, pollMs, silenceMs, latest: heads.latest, clock, log }, wake)
      watches.add(stop)
      return () => {
        watches.delete(stop)
        stop()
      }
    },
    close: async () => {
      closing.abort()
      for (const stop of watches) stop()
      await Promise.all(pool.endpoints.map((endpoint) => endpoint.close()))
    },
  }
}

function sortUrls({ network, urls }: ChainOptions): { http: string[]; sockets: string[] } {
  const of = (pattern: RegExp): string[] =>
    urls.filter((url) => URL.canParse(url) && pattern.test(new URL(url).protocol))
  const [http, sockets] = [of(/^https?:$/), of(/^wss?:$/)]
  const bad = urls.filter((url) => !http.includes(url) && !sockets.includes(url))
  if (bad.length > 0) {
    throw new ChainError(`${network}: not an http(s) or ws(s) URL: ${bad.map(maskUrl).join(', ')}`, {
      retryable: false,
    })
  }
  if (http.length === 0) {
    throw new ChainError(`${network}: needs an http(s) RPC URL; WebSocket URLs only report new heads`, {
      retryable: false,
    })
  }
  return { http, sockets }
}

function openOne(url: string, settings: typeof DEFAULTS) {
  const { requestTimeoutMs: timeoutMs, maxResponseBytes, requestsInFlight } = settings
  const connections = requestsInFlight + 2
  return openEndpoint(
    url,
    (onDisconnect) => httpEndpoint({ url, timeoutMs, maxResponseBytes, connections, onDisconnect }),
    requestsInFlight,
  )
}

/** The reads that are one question. */
function singleReads(pool: EndpointPool, heads: HeadReader) {
  const askHeader = async (session: Session, number: number): Promise<BlockHeader | null> => {
    const [reply] = (await session.send([headerRequest(number)])).replies
    const failure = reply ? session.failure(headerRequest(number), reply) : null
    if (failure && failure.verdict.kind !== 'not-yet') throw failure
    const header = reply && 'result' in reply ? readHeader(reply.result) : null
    if (header && header.number !== number)
      throw session.inconsistent(`asked for block ${number}, got ${header.number}`)
    return header
  }
  const header = (number: number) =>
    pool.run({ what: `block ${number}`, priority: 'live' }, (session) => askHeader(session, number))

  return {
    head: heads.head,
    finalized: heads.finalized,
    header,
    genesisHash: (): Promise<Hex> =>
      pool.run({ what: 'block 0', priority: 'live' }, async (session) => {
        const genesis = await askHeader(session, 0)
        if (!genesis) throw new MalformedAnswer({ field: 'block 0', value: null })
        return genesis.hash
      }),
    transactionLogs: (places: readonly TransactionPlace[]) =>
      readReceipts(pool, `${places.length} receipts`, places, readTransactionLogs),
    transactions: (hashes: readonly Hex[]) =>
      readReceipts(pool, `${hashes.length} transactions`, hashes, readTransactions),
  }
}

/** Reads what needs receipts part by part, one after the other: what is under way stays small. */
async function readReceipts<T, R>(
  pool: EndpointPool,
  what: string,
  list: readonly T[],
  read: (session: Session, part: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < list.length; i += TRANSACTIONS_PER_OPERATION) {
    const part = list.slice(i, i + TRANSACTIONS_PER_OPERATION)
    const operation = { what, priority: 'live', method: 'eth_getTransactionReceipt' } as const
    results.push(...(await pool.run(operation, (session) => read(session, part))))
  }
  return results
}

function blockReads(pool: EndpointPool, { network, topics, log }: ChainOptions) {
  const options = {
    topics,
    log,
    bloomClaims: bloomCheck(topics),
    logsWithoutTransaction: NETWORKS[network].hasLogsWithoutTransaction,
  }
  const method = 'eth_getLogs'
  return {
    readRange: (from: number, to: number, { secondOpinion = false } = {}) =>
      pool.run({ what: `blocks ${from} to ${to}`, priority: 'bulk', method, backwards: secondOpinion }, (session) =>
        readRange(session, { from, to }, options),
      ),
    readBlocks: (from: number, to: number) =>
      pool.run({ what: `blocks ${from} to ${to}`, priority: 'live', method }, (session) =>
        readBlocks(session, { from, to }, options),
      ),
  }
}

function callReads(pool: EndpointPool, maxOutputBytes: number, log: ChainLog): Chain['callMany'] {
  let known: boolean | null = null
  const hasMulticall = async (session: Session): Promise<boolean> => {
    if (known === null) {
      const { results } = await session.ask([{ method: 'eth_getCode', params: [MULTICALL3, 'latest'] }])
      known = typeof results[0] === 'string' && results[0].length > 2
    }
    return known
  }

  return async (calls: readonly Call[], at: Hex | number | 'latest') => {
    if (calls.length === 0) return []
    const options = { hasMulticall, maxOutputBytes, log }
    const results: CallResults = calls.map(() => undefined)
    let block: CallBlock | null = at === 'latest' ? null : typeof at === 'number' ? { number: at } : { hash: at }
    const priority = calls.length > SMALL_CALLS ? 'bulk' : 'live'
    await pool.run({ what: `${calls.length} calls at ${at}`, priority, method: 'eth_call' }, async (session) => {
      if (!block) {
        const head = readHeader((await session.ask([headerRequest('latest')])).results[0])
        if (!head) throw new MalformedAnswer({ field: 'latest block', value: null })
        block = { hash: head.hash }
      }
      await callMany(session, calls, block, results, options)
    })
    return results.map((result) => result ?? null)
  }
}
