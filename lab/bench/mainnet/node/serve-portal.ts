import type { ServerResponse } from 'node:http'
import { constants, createGzip } from 'node:zlib'
import type { Address, Hex } from '@dexfeed/dex'
import { Budget } from '@dexfeed/fake-node/rpc/budget'
import { serveHttp } from '@dexfeed/fake-node/rpc/serve'
import type { MadeNetwork } from '../made/made-network.ts'
import { PortalLines } from './portal-lines.ts'

/** What was asked of a Portal. */
export interface PortalUsage {
  answered: number
  refused: number
  blocks: number
  /** Of the lines, before they are compressed. */
  bytes: number
}

/** A Portal of the SQD network over a made network, on loopback. */
export interface NetworkPortal {
  /** Of its data set. */
  readonly url: string
  readonly usage: PortalUsage
  close(): Promise<void>
}

/** What the public Portal documents, and how much one answer brings at most. */
const LIMITS = { rate: 2, burst: 2, refusal: 'http' } as const
const MOST_BLOCKS = 200
const MOST_BYTES = 20_000_000

/** Of a query what counts here; every field that dexfeed asks for is told. */
interface Query {
  fromBlock: number
  toBlock: number
  topics: readonly Hex[]
}

/**
 * Streams final blocks (`POST /datasets/<name>/finalized-stream`), a line a block, compressed. An answer ends after some
 * blocks, as those of the network do; who asks too often is told when to come again.
 */
export async function servePortal(network: MadeNetwork, now = () => performance.now()): Promise<NetworkPortal> {
  const usage: PortalUsage = { answered: 0, refused: 0, blocks: 0, bytes: 0 }
  const lines = new PortalLines(network)
  const budget = new Budget(LIMITS, now)
  const path = `/datasets/${network.plan.network}-made`
  const server = await serveHttp((text, request, response) => {
    if (request.method !== 'POST' || request.url !== `${path}/finalized-stream`) return end(response, 404)
    const query = readQuery(text)
    if (query === null) return end(response, 400)
    if (budget.take(1) === 0) {
      usage.refused++
      return end(response, 429, { 'retry-after': '1' })
    }
    const to = Math.min(query.toBlock, network.head - network.plan.shape.finalityLag)
    if (query.fromBlock > to) return end(response, 204)
    usage.answered++
    answer(response, lines, { ...query, toBlock: to }, usage)
  })
  return {
    url: `${server.url}${path}`,
    usage,
    close: server.close,
  }
}

function answer(
  response: ServerResponse,
  lines: PortalLines,
  { fromBlock, toBlock, topics }: Query,
  usage: PortalUsage,
) {
  response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  gzip.pipe(response)
  // Whoever goes away does not hear the rest.
  response.on('close', () => gzip.destroy())
  let bytes = 0
  for (let number = fromBlock; number <= toBlock && number < fromBlock + MOST_BLOCKS && bytes < MOST_BYTES; number++) {
    const line = lines.of(number, topics)
    if (line === null) break
    gzip.write(line)
    gzip.write('\n')
    bytes += line.length + 1
    usage.blocks++
  }
  usage.bytes += bytes
  gzip.end()
}

interface LogsWanted {
  topic0?: Hex[]
  address?: Address[]
  transaction?: boolean
  transactionLogs?: boolean
}

/** Null: a query of another kind than dexfeed's. */
function readQuery(text: string): Query | null {
  try {
    const { type, fromBlock, toBlock, includeAllBlocks, logs } = JSON.parse(text)
    const [byTopic, ...byContract] = logs as LogsWanted[]
    const topics = byTopic?.topic0
    const isWhole = logs.every(({ transaction, transactionLogs }: LogsWanted) => transaction && transactionLogs)
    const isOurs = type === 'evm' && includeAllBlocks === true && isWhole && Array.isArray(topics)
    const isRange = Number.isSafeInteger(fromBlock) && Number.isSafeInteger(toBlock) && fromBlock <= toBlock
    // Contracts whose logs without a topic are wanted: no made contract is one.
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
