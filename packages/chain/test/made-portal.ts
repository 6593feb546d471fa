import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Address, Hex } from '@dexfeed/dex'
import { type PortalQuery, portalLine, servePortal } from '@dexfeed/lab/node/rpc/serve-portal'
import { onTestFinished } from 'vitest'
import type { MemoryChain } from './memory-chain.ts'

export interface PortalLine {
  header: { number: number; hash: string; parentHash: string; timestamp: number }
  transactions?: Record<string, unknown>[]
  logs?: Record<string, unknown>[]
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
  const server = await servePortal('made', (query, response, headers) => {
    portal.queries.push(query)
    portal.headers.push(headers)
    const to = Math.min(query.toBlock, query.fromBlock + CHUNK - 1)
    const blocks = chain.blocks.slice(query.fromBlock, to + 1)
    const lines = portal.lie(
      blocks.map((block) => lineOf(block, query)),
      query,
    )
    if (portal.exchange(response, lines)) return
    response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
    response.end(gzipSync(textOf(lines)))
  })
  onTestFinished(() => server.close())
  const portal: MadePortal = {
    url: `${server.url}/`,
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

/** Returns logs in no order. */
function lineOf({ number, hash, header, transactions, logs }: MemoryChain['blocks'][number], query: PortalQuery) {
  const place = { number, hash, parentHash: header.parentHash as Hex, timestamp: Number(header.timestamp) }
  const logsOf = (transaction: unknown) =>
    logs
      .filter(({ transactionHash }) => transactionHash === transaction)
      .map(({ address, topics, data, logIndex }) => {
        return { address: address as Address, topics: topics as Hex[], data: data as Hex, logIndex: Number(logIndex) }
      })
  const placed = transactions.map(({ hash: of, from, value, type, transactionIndex }) => {
    const fields = { hash: of as Hex, from: from as Hex, value: BigInt(String(value)), type: Number(type) }
    return { ...fields, index: Number(transactionIndex), logs: logsOf(of) }
  })
  const line = portalLine({ ...place, transactions: placed }, query)
  return line.transactions.length === 0 ? { header: line.header } : { ...line, logs: line.logs.reverse() }
}
