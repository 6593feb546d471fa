import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Random } from '@dexfeed/devnet'
import { HOUR_S } from '@dexfeed/dex'
import type { ScriptedBlock, ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { serveHttp } from '../rpc/serve.ts'
import { shuffled } from './fault-schedule.ts'
import type { Proofs } from './show-block.ts'

/** Faults of a Portal's response; the first ones are lies that only a proof shows. */
const LIES_TO_PROVE = ['log-changed', 'receipt-cut', 'sender-changed', 'time-changed'] as const
const PORTAL_FAULTS = [
  ...LIES_TO_PROVE,
  'logs-missing',
  'wrong-branch',
  'torn',
  'early-end',
  'conflict',
  'too-many',
  'unavailable',
  'stale-head',
] as const
export type PortalFault = (typeof PORTAL_FAULTS)[number]

/** A Portal over a scripted chain. The first response is wrong, and every second one of the others. */
export interface HostilePortal {
  readonly url: string
  readonly met: ReadonlyMap<PortalFault, number>
  /** Ends the faults, apart from that of the first response. */
  clear(): void
  stop(): Promise<void>
}

interface PortalOptions {
  chain: ScriptedChain
  random: Random
  /** The distance from the head to the last block that it reports as final. */
  finalityDepth: number
  /** What the nodes that it is compared with show to prove their blocks. */
  proofs: readonly Proofs[]
}

interface PortalQuery {
  fromBlock: number
  toBlock: number
  logs: readonly { topic0?: readonly string[]; address?: readonly string[] }[]
}

const FAULT_CHANCE = 0.5
/** Blocks of one response. */
const CHUNK = 25
const NO_SENDER = `0x${'0'.repeat(40)}`
const OTHER = `0x${'0'.repeat(39)}1`
/** Blocks that are missing from a stale head. */
const STALE = 40

export async function startHostilePortal(options: PortalOptions): Promise<HostilePortal> {
  const { random, proofs } = options
  const isProven = proofs.every((shown) => shown === 'block-receipts')
  const lies: readonly PortalFault[] = LIES_TO_PROVE
  const faults = PORTAL_FAULTS.filter((fault) => isProven || !lies.includes(fault))
  let deck: PortalFault[] = []
  const met = new Map<PortalFault, number>()
  let isCleared = false
  const draw = (): PortalFault | null => {
    // On a busy machine, history may begin when all else is through.
    if (met.size > 0 && (isCleared || random.next() >= FAULT_CHANCE)) return null
    if (deck.length === 0) deck = shuffled(faults, random)
    const fault = deck.shift() ?? 'torn'
    met.set(fault, (met.get(fault) ?? 0) + 1)
    return fault
  }
  const server = await serveHttp((body, _, response) => {
    respond(options, draw(), JSON.parse(body) as PortalQuery, response)
  })
  return {
    url: `${server.url}/datasets/scripted/`,
    met,
    clear: () => {
      isCleared = true
    },
    stop: server.close,
  }
}

function respond(
  { chain, finalityDepth }: PortalOptions,
  fault: PortalFault | null,
  query: PortalQuery,
  response: ServerResponse,
): void {
  if (refuses(fault, response)) return
  const blocks = fault === 'wrong-branch' && chain.orphaned.length > 0 ? chain.orphaned : chain.blocks
  const final = blocks.length - 1 - finalityDepth - (fault === 'stale-head' ? STALE : 0)
  const length = fault === 'early-end' ? 1 : CHUNK
  const last = Math.min(query.toBlock, final, query.fromBlock + length - 1)
  if (last < query.fromBlock) {
    response.writeHead(204).end()
    return
  }
  const lines = blocks.slice(query.fromBlock, last + 1).map((block) => lineOf(block, query, fault))
  const body = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
  response.end(fault === 'torn' ? body.subarray(0, body.length >> 1) : body)
}

function refuses(fault: PortalFault | null, response: ServerResponse): boolean {
  if (fault === 'conflict') response.writeHead(409).end('{"previousBlocks":[]}')
  else if (fault === 'too-many') response.writeHead(429, { 'retry-after': '2' }).end('Too many requests')
  else if (fault === 'unavailable') response.writeHead(503).end('Service unavailable')
  else return false
  return true
}

/**
 * Returns a block's line: its header, and all logs of the transactions with a requested log. A lie changes the first
 * one.
 */
function lineOf(block: ScriptedBlock, { logs: filters }: PortalQuery, fault: PortalFault | null): object {
  const { number, hash, parentHash, timestamp } = block
  const isRequested = ({ address, topics }: { address: string; topics: readonly string[] }) =>
    filters.some((one) => one.topic0?.includes(topics[0] ?? '') || one.address?.includes(address))
  const isOther = (log: { address: string; topics: readonly string[] }) => !isRequested(log)
  const requested = block.transactions.filter(({ placed }) => placed.some(isRequested))
  const logs = requested.flatMap((transaction) =>
    transaction.placed.map(({ address, topics, data, logIndex }) => ({
      ...{ address, topics, data, logIndex },
      ...{ transactionIndex: transaction.index, transactionHash: transaction.hash },
    })),
  )
  const left = (fault === 'logs-missing' && logs.find(isRequested)) || (fault === 'receipt-cut' && logs.find(isOther))
  const changed = fault === 'log-changed' ? logs.find(isRequested) : undefined
  return {
    header: { number, hash, parentHash, timestamp: fault === 'time-changed' ? timestamp + HOUR_S : timestamp },
    transactions: requested.map(({ index, hash: of, from, value, isStateSync }, i) => ({
      ...{
        transactionIndex: index,
        hash: of,
        from: fault === 'sender-changed' && i === 0 ? OTHER : (from ?? NO_SENDER),
      },
      ...{ value: `0x${value.toString(16)}`, type: isStateSync ? 0x7f : 2 },
    })),
    logs: logs
      .filter((log) => log !== left)
      .map((log) =>
        log === changed ? { ...log, data: `${log.data.slice(0, -1)}${log.data.endsWith('0') ? 1 : 0}` } : log,
      ),
  }
}
