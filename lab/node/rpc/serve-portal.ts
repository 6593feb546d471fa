import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Address, Hex } from '@dexfeed/dex'
import { type DraftLog, quantity } from '../../chain/abi.ts'
import { serveHttp } from './serve.ts'

export interface PortalQuery {
  fromBlock: number
  toBlock: number
  logs: readonly { topic0?: readonly Hex[]; address?: readonly Address[] }[]
}

interface PortalBlock {
  number: number
  hash: Hex
  parentHash: Hex
  timestamp: number
  transactions: readonly {
    index: number
    hash: Hex
    from: Hex
    value: bigint
    type: number
    logs: readonly (DraftLog & { logIndex: number })[]
  }[]
}

export type PortalLine = ReturnType<typeof portalLine>

/** Serves final blocks (`POST /datasets/<name>/finalized-stream`) as lines, one per block. */
export async function servePortal(
  name: string,
  respond: (query: PortalQuery, response: ServerResponse, headers: IncomingHttpHeaders) => void,
): Promise<{ url: string; close(): Promise<void> }> {
  const path = `/datasets/${name}`
  const server = await serveHttp((text, { method, url, headers }, response) => {
    const query = readQuery(text)
    if (method !== 'POST' || url !== `${path}/finalized-stream`) response.writeHead(404).end()
    else if (query === null) response.writeHead(400).end()
    else respond(query, response, headers)
  })
  return { url: server.url + path, close: server.close }
}

/** Returns all logs of each transaction that has a requested log. */
export function portalLine({ transactions, ...header }: PortalBlock, { logs: filters }: PortalQuery) {
  const shown = transactions.filter(({ logs }) => logs.some((log) => isRequested(log, filters)))
  return {
    header,
    transactions: shown.map(({ index, hash, from, value, type }) => {
      return { transactionIndex: index, hash, from, value: quantity(value), type }
    }),
    logs: shown.flatMap(({ index, hash, logs }) =>
      logs.map(({ address, topics, data, logIndex }) => {
        return { address, topics, data, logIndex, transactionIndex: index, transactionHash: hash }
      }),
    ),
  }
}

export function isRequested({ address, topics: [topic = '0x'] }: DraftLog, filters: PortalQuery['logs']): boolean {
  return filters.some(({ topic0, address: addresses }) => topic0?.includes(topic) || addresses?.includes(address))
}

/** Like the public Portal, omits empty lists. */
export function textOf({ header, ...lists }: PortalLine): string {
  return `${JSON.stringify(lists.transactions.length === 0 ? { header } : { header, ...lists })}\n`
}

function readQuery(text: string): PortalQuery | null {
  try {
    const { type, fromBlock, toBlock, includeAllBlocks, logs } = JSON.parse(text)
    const isRange = Number.isSafeInteger(fromBlock) && Number.isSafeInteger(toBlock) && fromBlock <= toBlock
    const isWhole = logs.every(
      (request: Record<string, unknown>) =>
        request.transaction &&
        request.transactionLogs &&
        (Array.isArray(request.topic0) || Array.isArray(request.address)),
    )
    return type === 'evm' && includeAllBlocks === true && isRange && isWhole && logs.length > 0
      ? { fromBlock, toBlock, logs }
      : null
  } catch {
    return null
  }
}
