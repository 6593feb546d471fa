import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { onTestFinished } from 'vitest'
import type { MemoryChain } from './memory-chain.ts'

export interface PortalLine {
  header: { number: number; hash: string; parentHash: string; timestamp: number }
  transactions?: Record<string, unknown>[]
  logs?: Record<string, unknown>[]
}

interface PortalQuery {
  fromBlock: number
  toBlock: number
  logs: { topic0?: string[]; address?: string[] }[]
}

/** A Portal over a chain in memory. Without a script it is honest, and ends its responses after a few blocks. */
export interface MadePortal {
  readonly url: string
  readonly queries: PortalQuery[]
  readonly headers: IncomingHttpHeaders[]
  lie: (lines: PortalLine[], query: PortalQuery) => PortalLine[]
  exchange: (response: ServerResponse, lines: PortalLine[]) => boolean
}

const CHUNK = 20

export async function madePortal(chain: MemoryChain): Promise<MadePortal> {
  const server = await serveHttp((body, request, response) => {
    const query = JSON.parse(body) as PortalQuery
    portal.queries.push(query)
    portal.headers.push(request.headers)
    const to = Math.min(query.toBlock, query.fromBlock + CHUNK - 1)
    const lines = portal.lie(linesOf(chain, query, to), query)
    if (portal.exchange(response, lines)) return
    response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
    response.end(gzipSync(textOf(lines)))
  })
  onTestFinished(() => server.close())
  const portal: MadePortal = {
    url: `${server.url}/datasets/made/`,
    queries: [],
    headers: [],
    lie: (lines) => lines,
    exchange: () => false,
  }
  return portal
}

export function textOf(lines: readonly PortalLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Returns every header, and all logs of each transaction that has a requested log, in no order. */
function linesOf({ blocks }: MemoryChain, { fromBlock, logs: filters }: PortalQuery, to: number): PortalLine[] {
  return blocks.slice(fromBlock, to + 1).map(({ number, hash, header, transactions, logs }) => {
    const selected = new Set(
      logs
        .filter(({ topics, address }) =>
          filters.some(
            (each) => each.topic0?.includes((topics as string[])[0] ?? '') || each.address?.includes(String(address)),
          ),
        )
        .map((log) => log.transactionHash),
    )
    const shown = { number, hash, parentHash: String(header.parentHash), timestamp: Number(header.timestamp) }
    if (selected.size === 0) return { header: shown }
    return {
      header: shown,
      transactions: transactions
        .filter((record) => selected.has(record.hash))
        .map(({ transactionIndex, type, ...one }) => ({
          ...{ ...one, transactionIndex: Number(transactionIndex), type: Number(type) },
        })),
      logs: logs
        .filter(({ transactionHash }) => selected.has(transactionHash))
        .map(({ logIndex, transactionIndex, ...log }) => ({
          ...{ ...log, logIndex: Number(logIndex), transactionIndex: Number(transactionIndex) },
        }))
        .reverse(),
    }
  })
}
