import type { BlockHeader, Hex } from '@dexfeed/dex'
import { EndpointFailure } from './endpoint-failure.ts'
import type { Session } from './endpoint-pool.ts'
import { headerRequest, missingBlock } from './fetch-blocks.ts'
import type { RpcRequest } from './json-rpc.ts'
import { type Call, MULTICALL3, type MulticallCodec } from './multicall.ts'
import { readHeader } from './rpc-block.ts'
import { readBytes, toQuantity } from './rpc-value.ts'

export interface CallManyOptions {
  codec: MulticallCodec
  /** Whether Multicall3 has code on this chain. */
  hasMulticall(session: Session): Promise<boolean>
  /** A larger answer of one call counts as none. */
  maxOutputBytes: number
}

/** The block that all calls are made at. */
export type CallBlock = { hash: Hex } | { number: number }

const CALLS_PER_MULTICALL = 300
const CALLS_PER_BATCH = 100

/** What the calls gave so far; it survives the attempts of an operation, since the block is the same for all. */
export type CallResults = (Hex | null | undefined)[]

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
  await atBlock(session, block, async (at) => {
    const undone = (): number[] => calls.flatMap((_, i) => (results[i] === undefined ? [i] : []))
    const maker = callMaker(session, calls, at, results, options.maxOutputBytes)
    const pending = undone()
    if (pending.length > 1 && (await options.hasMulticall(session))) {
      await Promise.all(chunks(pending, CALLS_PER_MULTICALL).map((group) => maker.together(group, options.codec)))
    }
    await Promise.all(chunks(undone(), CALLS_PER_BATCH).map((group) => maker.oneByOne(group)))
  })
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

function callMaker(
  session: Session,
  calls: readonly Call[],
  at: unknown,
  results: CallResults,
  maxOutputBytes: number,
) {
  const accepted = (data: Hex): Hex | null => (data.length > 2 && (data.length - 2) / 2 <= maxOutputBytes ? data : null)
  const pick = (group: readonly number[]): Call[] => group.flatMap((i) => calls[i] ?? [])
  const request = ({ to, data }: Call): RpcRequest => ({ method: 'eth_call', params: [{ to, data }, at] })

  /** Leaves without a result what only a direct call can tell. */
  const together = async (group: readonly number[], codec: MulticallCodec): Promise<void> => {
    if (group.length <= 1) return
    const question = request({ to: MULTICALL3, data: codec.encode(pick(group)) })
    let answer: Hex
    try {
      const { results: raw } = await session.ask([question])
      answer = readBytes(raw[0], 'eth_call result')
    } catch (error) {
      if (!isTooMuch(error)) throw error
      const half = group.length >> 1
      await together(group.slice(0, half), codec)
      return together(group.slice(half), codec)
    }
    const outcomes = codec.decode(answer, group.length) ?? []
    outcomes.forEach(({ success, data }, i) => {
      const index = group[i]
      if (success && index !== undefined) results[index] = accepted(data)
    })
  }

  const oneByOne = async (group: readonly number[]): Promise<void> => {
    const requests = pick(group).map(request)
    let replies: Awaited<ReturnType<Session['send']>>['replies']
    try {
      replies = (await session.send(requests)).replies
    } catch (error) {
      if (!isTooMuch(error)) throw error
      if (group.length > 1) {
        const half = group.length >> 1
        await oneByOne(group.slice(0, half))
        return oneByOne(group.slice(half))
      }
      const [only] = group
      if (!isAnswerTooLarge(error) || only === undefined) throw error
      results[only] = null
      return
    }
    replies.forEach((reply, i) => {
      const [index, question] = [group[i], requests[i]]
      if (index === undefined || !question) return
      const failure = session.failure(question, reply)
      if (failure && failure.verdict.kind !== 'reverted') throw failure
      results[index] = 'result' in reply ? accepted(readBytes(reply.result, 'eth_call result')) : null
    })
  }
  return { together, oneByOne }
}

/** Fewer calls at a time may pass: out of gas, out of time, or too large an answer. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof EndpointFailure)) return false
  return ['reverted', 'range', 'timeout'].includes(error.verdict.kind) && !error.down
}

function isAnswerTooLarge(error: unknown): boolean {
  return error instanceof EndpointFailure && error.verdict.kind === 'range'
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < list.length; i += size) parts.push(list.slice(i, i + size))
  return parts
}
