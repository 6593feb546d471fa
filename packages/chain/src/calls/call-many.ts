import type { BlockHeader, Hex } from '@dexfeed/dex'
import { headerRequest, missingBlock } from '../blocks/fetch-blocks.ts'
import type { ChainLog } from '../chain-log.ts'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import { readHeader } from '../json-rpc/rpc-block.ts'
import { readBytes, toQuantity } from '../json-rpc/rpc-value.ts'
import { type Call, decodeAggregate3, encodeAggregate3, MULTICALL3 } from './multicall.ts'

export interface CallManyOptions {
  /** Whether Multicall3 has code on this chain. */
  hasMulticall(session: Session): Promise<boolean>
  /** A larger answer of one call counts as none. */
  maxOutputBytes: number
  log: ChainLog
}

/** The block that all calls are made at. */
export type CallBlock = { hash: Hex } | { number: number }

/** What the calls gave so far; it survives the attempts of an operation, since the block is the same for all. */
export type CallResults = (Hex | null | undefined)[]

const CALLS_PER_MULTICALL = 300
const CALLS_PER_BATCH = 100
/** After so many attempts the calls that keep failing go through no Multicall3, and are suspected themselves. */
const DOUBTFUL_ATTEMPT = 3

/**
 * Makes every call without a result yet, all at one block: through Multicall3 where it is, else one by one in batches.
 * What Multicall3 reports as failed is asked again directly: a neighbour that burns all gas makes innocent calls fail.
 */
export async function callMany(
  session: Session,
  calls: readonly Call[],
  block: CallBlock,
  results: CallResults,
  options: CallManyOptions,
): Promise<void> {
  const undone = (): number[] => calls.flatMap((_, i) => (results[i] === undefined ? [i] : []))
  await atBlock(session, block, async (at) => {
    const round: Round = { session, calls, at, results, options }
    const pending = undone()
    if (pending.length > 1 && session.attempt < DOUBTFUL_ATTEMPT && (await options.hasMulticall(session))) {
      await Promise.all(chunks(pending, CALLS_PER_MULTICALL).map((group) => callTogether(round, group)))
    }
    await Promise.all(chunks(undone(), CALLS_PER_BATCH).map((group) => callOneByOne(round, group)))
  })
}

interface Round {
  session: Session
  calls: readonly Call[]
  /** Block parameter of eth_call. */
  at: unknown
  results: CallResults
  options: CallManyOptions
}

/** Runs `work` with the block parameter that the node takes: by hash, or by number if that is the same block throughout. */
async function atBlock(session: Session, block: CallBlock, work: (at: unknown) => Promise<void>): Promise<void> {
  if ('number' in block) return work(toQuantity(block.number))
  if (session.endpoint.callsByHash) {
    try {
      return await work({ blockHash: block.hash })
    } catch (error) {
      if (!(error instanceof EndpointFailure) || !refusesBlockHash(error)) throw error
      session.endpoint.callsByHash = false
    }
  }
  const { results } = await session.ask([{ method: 'eth_getBlockByHash', params: [block.hash, false] }])
  const header = readHeader(results[0])
  if (!header) throw missingHash(session, block.hash)
  await checkCanonical(session, header)
  await work(toQuantity(header.number))
  await checkCanonical(session, header)
}

async function checkCanonical(session: Session, { number, hash }: BlockHeader): Promise<void> {
  const { results } = await session.ask([headerRequest(number)])
  const now = readHeader(results[0])
  if (!now) throw missingBlock(session, number)
  if (now.hash !== hash) throw session.inconsistent(`block ${number} is ${now.hash}, the calls are for ${hash}`)
}

function missingHash(session: Session, hash: Hex): EndpointFailure {
  return new EndpointFailure({
    endpoint: session.endpoint.masked,
    method: 'eth_getBlockByHash',
    verdict: { kind: 'not-yet' },
    detail: `block ${hash} is not there`,
  })
}

/** EIP-1898 is not known to the node: it cannot read an object where it expects a number. */
function refusesBlockHash({ method, code, verdict, message }: EndpointFailure): boolean {
  if (method !== 'eth_call' || verdict.kind !== 'other') return false
  return (
    code === -32602 || code === -32600 || /unmarshal|invalid (argument|params?|type)|hex string|expected/i.test(message)
  )
}

/** Leaves without a result what only a direct call can tell. */
async function callTogether(round: Round, group: readonly number[]): Promise<void> {
  if (group.length <= 1) return
  const { session, results } = round
  try {
    const data = encodeAggregate3(callsOf(round, group))
    const { results: raw } = await session.ask([callRequest(round, { to: MULTICALL3, data })])
    const outcomes = decodeAggregate3(readBytes(raw[0], 'eth_call result'), group.length) ?? []
    outcomes.forEach(({ success, data: output }, i) => {
      const index = group[i]
      if (success && index !== undefined) results[index] = accepted(round, output)
    })
  } catch (error) {
    if (!isTooMuch(error)) throw error
    for (const half of halves(group)) await callTogether(round, half)
  }
}

async function callOneByOne(round: Round, group: readonly number[]): Promise<void> {
  const { session, results } = round
  const requests = callsOf(round, group).map((call) => callRequest(round, call))
  const control = session.attempt < DOUBTFUL_ATTEMPT ? [] : [callRequest(round, CONTROL)]
  let replies: RpcReply[]
  try {
    replies = (await session.send([...requests, ...control])).replies
  } catch (error) {
    if (!isTooMuch(error)) throw error
    if (group.length > 1) {
      for (const half of halves(group)) await callOneByOne(round, half)
      return
    }
    const [only] = group
    if (error.verdict.kind !== 'range' || only === undefined) throw error
    results[only] = null
    return
  }
  const controlled = control.length > 0 && 'result' in (replies.at(-1) ?? {})
  let trouble: EndpointFailure | null = null
  requests.forEach((request, i) => {
    const [index, reply] = [group[i], replies[i]]
    if (index === undefined || !reply) return
    const failure = session.failure(request, reply)
    if ('result' in reply) results[index] = accepted(round, readBytes(reply.result, 'eth_call result'))
    else if (failure?.verdict.kind === 'reverted') results[index] = null
    else if (failure && controlled && isOfTheCall(failure)) {
      results[index] = null
      round.options.log.warn(
        { call: round.calls[index], err: failure },
        'a call that no node executes: taken for reverted',
      )
    } else trouble ??= failure
  })
  if (trouble) throw trouble
}

/** A call that cannot fail: if it is answered and another is not, then that other call is the reason. */
const CONTROL: Call = { to: '0x0000000000000000000000000000000000000000', data: '0x' }

/** Failures that a contract may cause: an error that the node has its own words for, or code that runs for too long. */
function isOfTheCall({ verdict }: EndpointFailure): boolean {
  return verdict.kind === 'other' || verdict.kind === 'timeout'
}

function callRequest({ at }: Round, { to, data }: Call): RpcRequest {
  return { method: 'eth_call', params: [{ to, data }, at] }
}

function callsOf({ calls }: Round, group: readonly number[]): Call[] {
  return group.flatMap((i) => calls[i] ?? [])
}

function accepted({ options }: Round, output: Hex): Hex | null {
  return output.length > 2 && (output.length - 2) / 2 <= options.maxOutputBytes ? output : null
}

/** Fewer calls at a time may pass: out of gas, out of time, or too large an answer. */
function isTooMuch(error: unknown): error is EndpointFailure {
  if (!(error instanceof EndpointFailure)) return false
  return ['reverted', 'range', 'timeout'].includes(error.verdict.kind) && !error.down
}

function halves(group: readonly number[]): (readonly number[])[] {
  const middle = group.length >> 1
  return [group.slice(0, middle), group.slice(middle)]
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < list.length; i += size) parts.push(list.slice(i, i + size))
  return parts
}
