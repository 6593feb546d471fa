import { type Hex, MINUTE } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import { ChainError, EndpointFailure } from '../errors/chain-error.ts'
import { headerRequest, type RpcReply } from '../json-rpc/messages.ts'
import { readPresentHeader } from '../json-rpc/rpc-block.ts'
import { readBytes } from '../json-rpc/rpc-value.ts'
import { atBlock, type CallBlock, CONTROL, callRequest } from './at-block.ts'
import { type Call, decodeAggregate3, encodeAggregate3, MULTICALL3 } from './multicall.ts'

export interface CallManyOptions {
  log: ChainLog
  clock: Clock
  /** The head that a node announced or returned; the block may not exist. */
  knownHead: () => { hash: Hex } | null
}

type CallPoint = Hex | number | 'latest'
interface CallHow {
  /** Default: `bulk` at the latest block, else `live`, because work at the head waits for the calls. */
  priority?: 'bulk'
}

/**
 * Makes eth_calls at one block (its hash, its number, or 'latest') and returns their outputs in order. An output is
 * null if the call reverted, or if it is empty or larger than 16 KiB.
 */
export type CallMany = (calls: readonly Call[], point: CallPoint, how?: CallHow) => Promise<(Hex | null)[]>
/** Like `CallMany`, but at a host other than the first choice. Returns null if no other host responds now. */
export type CallElsewhere = (calls: readonly Call[], point: CallPoint, how?: CallHow) => Promise<(Hex | null)[] | null>

const DENIED_MS = MINUTE
/** Limit for one output, whose size the contract chooses. */
const MAX_OUTPUT_BYTES = 16 * 1024
const CALLS_PER_MULTICALL = 300
const CALLS_PER_BATCH = 100
/** From this attempt on, calls bypass Multicall3, and a failing call may be treated as reverted. */
const SUSPECTING_ATTEMPT = 3

export function contractCalls(
  pool: EndpointPool,
  options: CallManyOptions,
): { callMany: CallMany; callElsewhere: CallElsewhere } {
  const hasMulticall = multicallCheck(options.clock)
  const callsAt = (calls: readonly Call[], point: CallPoint, { priority }: CallHow, elsewhere: boolean) =>
    makeAllCalls(pool, { calls, point, priority, elsewhere, options }, hasMulticall)
  return {
    callMany: (calls, point, how = {}) => callsAt(calls, point, how, false),
    async callElsewhere(calls, point, how = {}) {
      try {
        return await callsAt(calls, point, how, true)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        options.log.debug({ err: error }, 'contract calls could not be compared: no second endpoint responds')
        return null
      }
    },
  }
}

interface AllCalls {
  calls: readonly Call[]
  point: CallPoint
  priority: 'bulk' | undefined
  elsewhere: boolean
  options: CallManyOptions
}

async function makeAllCalls(
  pool: EndpointPool,
  { calls, point, priority: requested, elsewhere, options }: AllCalls,
  hasMulticall: (session: Session) => Promise<boolean>,
): Promise<(Hex | null)[]> {
  if (calls.length === 0) return []
  // Attempts share results, so all of them use the same block once there is one.
  let results: readonly (Hex | null | undefined)[] = calls.map(() => undefined)
  let block: CallBlock | null =
    point === 'latest' ? null : typeof point === 'number' ? { number: point } : { hash: point }
  const priority = requested ?? (point === 'latest' ? 'bulk' : 'live')
  const operation = { what: `${calls.length} calls at ${point}`, priority, method: 'eth_call', elsewhere } as const
  await pool.run(operation, async (session) => {
    const isFree = point === 'latest' && results.every((result) => result === undefined)
    if (block === null || isFree) block = await latestBlock(session, options.knownHead())
    const found = [...results]
    try {
      await atBlock(session, block, (blockParameter) =>
        makeCalls({ session, calls, blockParameter, results: found, options }, hasMulticall),
      )
    } catch (error) {
      // If the hash was refused, results count only if the block was still the same after the last call.
      if ('number' in block || session.endpoint.callsByHash) results = [...found]
      throw error
    }
    results = found
  })
  return results.map((result) => result ?? null)
}

function multicallCheck(clock: Clock): (session: Session) => Promise<boolean> {
  let isThere = false
  const deniedUntil = new Map<Endpoint, number>()
  return async (session) => {
    const { endpoint } = session
    const until = deniedUntil.get(endpoint)
    if (isThere || (until !== undefined && clock.now() < until)) return isThere
    const { results } = await session.request([{ method: 'eth_getCode', params: [MULTICALL3, 'latest'] }])
    isThere ||= typeof results[0] === 'string' && results[0].length > 2
    if (!isThere) deniedUntil.set(endpoint, clock.now() + DENIED_MS)
    return isThere
  }
}

async function latestBlock(session: Session, head: { hash: Hex } | null): Promise<CallBlock> {
  if (head !== null && session.attempt === 0) return { hash: head.hash }
  const { results } = await session.request([headerRequest('latest')])
  return { hash: readPresentHeader(results[0], 'latest block').hash }
}

interface Round {
  session: Session
  calls: readonly Call[]
  blockParameter: unknown
  results: (Hex | null | undefined)[]
  options: CallManyOptions
}

/**
 * Makes the calls through Multicall3 if it exists, else in batches. Repeats a call directly if it failed in Multicall3,
 * because another call may have used up the gas.
 */
async function makeCalls(round: Round, hasMulticall: (session: Session) => Promise<boolean>): Promise<void> {
  const { session, calls, results } = round
  const undone = (): number[] => calls.flatMap((_, i) => (results[i] === undefined ? [i] : []))
  const pending = undone()
  if (pending.length > 1 && session.attempt < SUSPECTING_ATTEMPT && (await hasMulticall(session))) {
    await Promise.all(chunks(pending, CALLS_PER_MULTICALL).map((group) => callTogether(round, group)))
  }
  await Promise.all(chunks(undone(), CALLS_PER_BATCH).map((group) => callOneByOne(round, group)))
}

async function callTogether(round: Round, group: readonly number[]): Promise<void> {
  if (group.length <= 1) return
  const { session, results } = round
  try {
    const data = encodeAggregate3(callsOf(round, group))
    const { results: raw } = await session.request([callRequest({ to: MULTICALL3, data }, round.blockParameter)])
    const outcomes = decodeAggregate3(readBytes(raw[0], 'eth_call result'), group.length) ?? []
    outcomes.forEach(({ success, data: output }, i) => {
      const index = group[i]
      if (success && index !== undefined) results[index] = accepted(output)
    })
  } catch (error) {
    if (!isTooMuch(error)) throw error
    for (const half of halves(group)) await callTogether(round, half)
  }
}

async function callOneByOne(round: Round, group: readonly number[]): Promise<void> {
  const { session, results } = round
  const requests = callsOf(round, group).map((call) => callRequest(call, round.blockParameter))
  const control = session.attempt < SUSPECTING_ATTEMPT ? [] : [callRequest(CONTROL, round.blockParameter)]
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
  let failed: EndpointFailure | null = null
  requests.forEach((request, i) => {
    const index = group[i]
    const reply = replies[i]
    if (index === undefined || !reply) return
    const failure = session.failure(request, reply)
    if ('result' in reply) results[index] = accepted(readBytes(reply.result, 'eth_call result'))
    else if (failure?.verdict.kind === 'reverted') results[index] = null
    else if (failure && controlled && isCausedByCall(failure)) {
      results[index] = null
      round.options.log.warn(
        { call: round.calls[index], err: failure },
        'call treated as reverted: no node executes it',
      )
    } else failed ??= failure
  })
  if (failed) throw failed
}

/** Whether the call may be the cause: a contract can trigger an error in the node, or run too long. */
function isCausedByCall({ verdict }: EndpointFailure): boolean {
  return verdict.kind === 'other' || verdict.kind === 'timeout'
}

function callsOf({ calls }: Round, group: readonly number[]): Call[] {
  return group.flatMap((i) => calls[i] ?? [])
}

function accepted(output: Hex): Hex | null {
  return output.length > 2 && (output.length - 2) / 2 <= MAX_OUTPUT_BYTES ? output : null
}

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
