import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { Address, Hex } from '@dexfeed/dex'
import type { MadeChain } from '../../chain/made/made-chain.ts'
import { Budget } from '../rpc/budget.ts'
import { serveHttp } from '../rpc/serve.ts'
import { PortalLines } from './portal-lines.ts'

interface PortalUsage {
  served: number
  refused: number
  blocks: number
}

/** A Portal of the SQD network over a made network, on loopback. */
export interface Portal {
  /** The URL of its data set. */
  readonly url: string
  readonly usage: PortalUsage
  close(): Promise<void>
}

/** The documented limits of the public Portal, and the maximum of one response. */
const LIMITS = { rate: 2, burst: 2, refusal: 'http' } as const
const MOST_BLOCKS = 200
const MOST_BYTES = 20_000_000
const NEW_LINE = Buffer.from('\n')

/** The used part of a query. A line has all fields that dexfeed requests. */
interface Query {
  fromBlock: number
  toBlock: number
  topics: readonly Hex[]
}

/**
 * Serves final blocks (`POST /datasets/<name>/finalized-stream`), a line a block, compressed. A response ends after
 * some blocks, as at the network. Too many requests get a time to retry.
 */
export async function servePortal(chain: MadeChain, now = () => performance.now()): Promise<Portal> {
  const usage: PortalUsage = { served: 0, refused: 0, blocks: 0 }
  const lines = new PortalLines(chain)
  const budget = new Budget(LIMITS, now)
  const path = `/datasets/${chain.plan.network}-made`
  const server = await serveHttp((text, request, response) => {
    if (request.method !== 'POST' || request.url !== `${path}/finalized-stream`) return end(response, 404)
    const query = readQuery(text)
    if (query === null) return end(response, 400)
    if (budget.take(1) === 0) {
      usage.refused++
      return end(response, 429, { 'retry-after': '1' })
    }
    const to = Math.min(query.toBlock, chain.head - chain.plan.shape.finalityLag)
    if (query.fromBlock > to) return end(response, 204)
    usage.served++
    void streamBlocks(response, linesOf(lines, { ...query, toBlock: to }, usage))
  })
  return {
    url: `${server.url}${path}`,
    usage,
    close: server.close,
  }
}

/** Sends blocks as the client takes them. Between two blocks, the node in the same process serves others. */
async function streamBlocks(response: ServerResponse, blocks: Iterable<Buffer>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
  // It fails if the client disconnects, which then gets no more data.
  await pipeline(blocks, createGzip({ level: constants.Z_BEST_SPEED }), response).catch(() => undefined)
}

/** Yields the lines of one response, and counts what was read of them. */
function* linesOf(
  lines: PortalLines,
  { fromBlock, toBlock, topics }: Query,
  usage: PortalUsage,
): Generator<Buffer, void> {
  let bytes = 0
  for (let number = fromBlock; number <= toBlock && number < fromBlock + MOST_BLOCKS && bytes < MOST_BYTES; number++) {
    const line = lines.of(number, topics)
    if (line === null) return
    bytes += line.length + 1
    usage.blocks++
    yield line
    yield NEW_LINE
  }
}

interface LogsRequest {
  topic0?: Hex[]
  address?: Address[]
  transaction?: boolean
  transactionLogs?: boolean
}

/** Reads a query; null: it is not of dexfeed's kind. */
function readQuery(text: string): Query | null {
  try {
    const { type, fromBlock, toBlock, includeAllBlocks, logs } = JSON.parse(text)
    const [byTopic, ...byContract] = logs as LogsRequest[]
    const topics = byTopic?.topic0
    const isWhole = logs.every(({ transaction, transactionLogs }: LogsRequest) => transaction && transactionLogs)
    const isOurs = type === 'evm' && includeAllBlocks === true && isWhole && Array.isArray(topics)
    const isRange = Number.isSafeInteger(fromBlock) && Number.isSafeInteger(toBlock) && fromBlock <= toBlock
    // Contracts whose logs without a topic are requested: no made contract is one.
    const isKnown = byContract.every(({ address }) => Array.isArray(address))
    return isOurs && isRange && isKnown ? { fromBlock, toBlock, topics } : null
  } catch {
    return null
  }
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers)
  response.end()
}
