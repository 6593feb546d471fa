import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { Address, Hex } from '@dexfeed/dex'
import { hexOf } from '../../chain/abi.ts'
import type { MadeChain } from '../../chain/made/made-chain.ts'
import { Budget } from '../rpc/budget.ts'
import { portalLine } from '../rpc/portal-line.ts'
import { serveHttp } from '../rpc/serve.ts'

interface PortalUsage {
  served: number
  refused: number
  blocks: number
}

export interface Portal {
  readonly url: string
  readonly usage: PortalUsage
  close(): Promise<void>
}

/** Limits of the public Portal. */
const LIMITS = { rate: 2, burst: 2, refusal: 'http' } as const
const MAX_BLOCKS = 200
const MAX_BYTES = 20_000_000

interface Query {
  fromBlock: number
  toBlock: number
  topics: readonly Hex[]
}

/** Serves final blocks (`POST /datasets/<name>/finalized-stream`) as gzipped lines, one per block. */
export async function servePortal(chain: MadeChain, now = () => performance.now()): Promise<Portal> {
  const usage: PortalUsage = { served: 0, refused: 0, blocks: 0 }
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
    void streamBlocks(response, linesOf(chain, { ...query, toBlock: to }, usage))
  })
  return {
    url: `${server.url}${path}`,
    usage,
    close: server.close,
  }
}

async function streamBlocks(response: ServerResponse, blocks: Iterable<string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
  await pipeline(blocks, createGzip({ level: constants.Z_BEST_SPEED }), response).catch(() => undefined)
}

function* linesOf(
  chain: MadeChain,
  { fromBlock, toBlock, topics }: Query,
  usage: PortalUsage,
): Generator<string, void> {
  const requested = new Set(topics)
  const last = Math.min(toBlock, fromBlock + MAX_BLOCKS - 1)
  let bytes = 0
  for (let number = fromBlock; number <= last && bytes < MAX_BYTES; number++) {
    const line = lineOf(chain, number, requested)
    if (line === null) return
    bytes += line.length
    usage.blocks++
    yield line
  }
}

function lineOf(chain: MadeChain, number: number, requested: ReadonlySet<Hex>): string | null {
  const block = chain.headerAt(number)
  if (block === null) return null
  const { hash, parentHash, timestamp } = block
  let logIndex = 0
  const transactions = chain.draft(number).map(({ from, value, type, logs }, index) => ({
    ...{ index, hash: chain.transactionHash(number, index), from, value, type },
    logs: logs.map((log) => ({ ...log, logIndex: logIndex++ })),
  }))
  const header = { number, hash, parentHash: hexOf(parentHash), timestamp }
  const line = portalLine(header, transactions, ({ topics }) => requested.has(topics[0] ?? '0x'))
  // Like the public Portal, omit empty lists.
  return `${JSON.stringify(line.transactions.length === 0 ? { header } : line)}\n`
}

interface LogsRequest {
  topic0?: Hex[]
  address?: Address[]
  transaction?: boolean
  transactionLogs?: boolean
}

function readQuery(text: string): Query | null {
  try {
    const { type, fromBlock, toBlock, includeAllBlocks, logs } = JSON.parse(text)
    const [byTopic, ...byContract] = logs as LogsRequest[]
    const topics = byTopic?.topic0
    const isWhole = logs.every(({ transaction, transactionLogs }: LogsRequest) => transaction && transactionLogs)
    const isOurs = type === 'evm' && includeAllBlocks === true && isWhole && Array.isArray(topics)
    const isRange = Number.isSafeInteger(fromBlock) && Number.isSafeInteger(toBlock) && fromBlock <= toBlock
    // These request contracts whose logs have no topics. The chain has none.
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
