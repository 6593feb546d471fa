import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Random } from '@dexfeed/devnet'
import { type Address, HOUR_S } from '@dexfeed/dex'
import type { ScriptedBlock, ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { isRequested, type PortalLine, type PortalQuery, portalLine, servePortal, textOf } from '../rpc/serve-portal.ts'
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
  proofs: readonly Proofs[]
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
  const server = await servePortal('scripted', (query, response) => respond(options, draw(), query, response))
  return {
    url: `${server.url}/`,
    met,
    clear: () => {
      isCleared = true
    },
    stop: server.close,
  }
}

function respond(
  { chain }: PortalOptions,
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
  const final = blocks.length - 1 - chain.market.deployment.finalityDepth - (fault === 'stale-head' ? STALE : 0)
  const length = fault === 'early-end' ? 1 : CHUNK
  const last = Math.min(query.toBlock, final, query.fromBlock + length - 1)
  if (last < query.fromBlock) {
    response.writeHead(204).end()
    return
  }
  const lines = blocks.slice(query.fromBlock, last + 1).map((block) => lineOf(block, query, fault))
  const body = gzipSync(lines.map(textOf).join(''))
  response.writeHead(200, { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' })
  response.end(fault === 'torn' ? body.subarray(0, body.length >> 1) : body)
}

function lineOf(block: ScriptedBlock, query: PortalQuery, fault: PortalFault | null): PortalLine {
  const { number, hash, parentHash, timestamp } = block
  const transactions = block.transactions.map(({ from, isStateSync, placed, ...transaction }) => {
    return { ...transaction, from: from ?? NO_SENDER, type: isStateSync ? 0x7f : 2, logs: placed }
  })
  const line = portalLine({ number, hash, parentHash, timestamp, transactions }, query)
  if (fault !== null) FALSIFY[fault]?.(line, query)
  return line
}

const FALSIFY: Partial<Record<PortalFault, (line: PortalLine, query: PortalQuery) => void>> = {
  'time-changed': ({ header }) => {
    header.timestamp += HOUR_S
  },
  'sender-changed': ({ transactions: [first] }) => {
    if (first !== undefined) first.from = OTHER_SENDER
  },
  'log-changed': ({ logs }, query) => {
    const log = logs.find((each) => isRequested(each, query.logs))
    if (log !== undefined) log.data = `0x${log.data.slice(2, -1)}${log.data.endsWith('0') ? 1 : 0}`
  },
  'logs-missing': ({ logs }, query) => {
    const first = logs.findIndex((log) => isRequested(log, query.logs))
    if (first >= 0) logs.splice(first, 1)
  },
  'receipt-cut': ({ logs }, query) => {
    const first = logs.findIndex((log) => !isRequested(log, query.logs))
    if (first >= 0) logs.splice(first, 1)
  },
}
