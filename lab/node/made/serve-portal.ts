import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { hexOf } from '../../chain/abi.ts'
import type { MadeChain } from '../../chain/made/made-chain.ts'
import { Budget } from '../rpc/budget.ts'
import { type PortalQuery, portalLine, servePortal, textOf } from '../rpc/serve-portal.ts'

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

export async function serveMadePortal(chain: MadeChain, now = () => performance.now()): Promise<Portal> {
  const usage: PortalUsage = { served: 0, refused: 0, blocks: 0 }
  const budget = new Budget(LIMITS, now)
  const server = await servePortal(`${chain.plan.network}-made`, (query, response) => {
    const last = Math.min(query.toBlock, chain.head - chain.shape.finalityLag)
    if (budget.take(1) === 0) {
      usage.refused++
      response.writeHead(429, { 'retry-after': '1' }).end()
    } else if (query.fromBlock > last) response.writeHead(204).end()
    else {
      usage.served++
      response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
      const lines = linesOf(chain, { ...query, toBlock: last }, usage)
      pipeline(lines, createGzip({ level: constants.Z_BEST_SPEED }), response).catch(() => undefined)
    }
  })
  return { ...server, usage }
}

function* linesOf(chain: MadeChain, query: PortalQuery, usage: PortalUsage): Generator<string, void> {
  const last = Math.min(query.toBlock, query.fromBlock + MAX_BLOCKS - 1)
  let bytes = 0
  for (let number = query.fromBlock; number <= last && bytes < MAX_BYTES; number++) {
    const block = chain.headerAt(number)
    if (block === null) return
    const { hash, parentHash, timestamp } = block
    const header = { number, hash, parentHash: hexOf(parentHash), timestamp }
    const line = textOf(portalLine({ ...header, transactions: chain.placedAt(number) }, query))
    bytes += line.length
    usage.blocks++
    yield line
  }
}
