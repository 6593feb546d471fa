import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Random } from '@dexfeed/devnet'
import { type Address, HOUR_S } from '@dexfeed/dex'
import type { DraftLog } from '../../chain/abi.ts'
import type { ScriptedBlock, ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { type PortalLine, portalLine } from '../rpc/portal-line.ts'
import { serveHttp } from '../rpc/serve.ts'
import { shuffled } from './fault-schedule.ts'
import type { Proofs } from './show-block.ts'

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

const REFUSALS: Partial<Record<PortalFault, [status: number, headers: Record<string, string>, body: string]>> = {
  conflict: [409, {}, '{"previousBlocks":[]}'],
  'too-many': [429, { 'retry-after': '2' }, 'Too many requests'],
  unavailable: [503, {}, 'Service unavailable'],
}

/** The first response has a fault, as do about half of the others. */
export interface HostilePortal {
  readonly url: string
  readonly met: ReadonlyMap<PortalFault, number>
  clear(): void
  stop(): Promise<void>
}

interface PortalOptions {
  chain: ScriptedChain
  random: Random
  finalityDepth: number
  proofs: readonly Proofs[]
}

interface PortalQuery {
  fromBlock: number
  toBlock: number
  logs: readonly { topic0?: readonly string[]; address?: readonly string[] }[]
}

const FAULT_CHANCE = 0.5
const CHUNK = 25
const NO_SENDER: Address = `0x${'0'.repeat(40)}`
const OTHER_SENDER: Address = `0x${'0'.repeat(39)}1`
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
    // On a busy machine, clients may request the first history after `clear`.
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
  const refusal = fault === null ? undefined : REFUSALS[fault]
  if (refusal !== undefined) {
    const [status, headers, body] = refusal
    response.writeHead(status, headers).end(body)
    return
  }
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

function lineOf(block: ScriptedBlock, { logs: filters }: PortalQuery, fault: PortalFault | null): PortalLine {
  const { number, hash, parentHash, timestamp } = block
  const isRequested = ({ address, topics: [topic = '0x'] }: DraftLog) =>
    filters.some(({ topic0, address: addresses }) => topic0?.includes(topic) || addresses?.includes(address))
  const transactions = block.transactions.map(({ index, hash: ofTransaction, from, value, isStateSync, placed }) => {
    return { index, hash: ofTransaction, from: from ?? NO_SENDER, value, type: isStateSync ? 0x7f : 2, logs: placed }
  })
  const line = portalLine({ number, hash, parentHash, timestamp }, transactions, isRequested)
  if (fault !== null) FALSIFY[fault]?.(line, isRequested)
  return line
}

const FALSIFY: Partial<Record<PortalFault, (line: PortalLine, isRequested: (log: DraftLog) => boolean) => void>> = {
  'time-changed': ({ header }) => {
    header.timestamp += HOUR_S
  },
  'sender-changed': ({ transactions: [first] }) => {
    if (first !== undefined) first.from = OTHER_SENDER
  },
  'log-changed': ({ logs }, isRequested) => {
    const log = logs.find(isRequested)
    if (log !== undefined) log.data = `0x${log.data.slice(2, -1)}${log.data.endsWith('0') ? 1 : 0}`
  },
  'logs-missing': ({ logs }, isRequested) => {
    const first = logs.findIndex(isRequested)
    if (first >= 0) logs.splice(first, 1)
  },
  'receipt-cut': ({ logs }, isRequested) => {
    const first = logs.findIndex((log) => !isRequested(log))
    if (first >= 0) logs.splice(first, 1)
  },
}
