import type { Hex } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { MalformedAnswer, readBytes, toQuantity } from '../json-rpc/rpc-value.ts'
import { atBlock, CONTROL, callRequest } from './at-block.ts'

/** Code that is run and not kept. */
interface InitCode<T> {
  data: Hex
  gas: number
  /** What the answer tells; null: it is none that the code gives. */
  read: (answer: Hex) => T | null
}

/** Null: the endpoint that is asked first does not run it, or answers something else. */
export type RunInitCode = <T>(code: InitCode<T>, at: Hex) => Promise<T | null>

/** Blocks in a row at which it refused, after which an endpoint is not asked any more: one may be an accident. */
const MOST_REFUSALS = 3

/** Runs init code by an eth_call without a recipient, as work in bulk. */
export function initCodeRunner(
  pool: EndpointPool,
  { log }: { log: ChainLog },
): { runInitCode: RunInitCode; runsInitCode: () => boolean } {
  let wasRun = false
  return {
    runsInitCode: () => wasRun,
    runInitCode: (code, at) =>
      pool.run({ what: `code at ${at}`, priority: 'bulk', method: 'eth_call' }, async (session) => {
        const value = await runAt(session, code, at, log)
        wasRun = value !== null
        return value
      }),
  }
}

async function runAt<T>(session: Session, code: InitCode<T>, at: Hex, log: ChainLog): Promise<T | null> {
  const { endpoint } = session
  const { codeRefusedAt } = endpoint
  if (codeRefusedAt.size >= MOST_REFUSALS) return null
  const told = await answerOf(session, code, at)
  if ('value' in told) {
    codeRefusedAt.clear()
    return told.value
  }
  const isNew = !codeRefusedAt.has(at)
  codeRefusedAt.add(at)
  if (isNew && codeRefusedAt.size === MOST_REFUSALS) {
    const what = { endpoint: endpoint.masked, reason: told.refusal }
    log.warn(what, 'runs no code that is not deployed, is not asked again')
  }
  return null
}

type Told<T> = { value: T } | { refusal: string }

async function answerOf<T>(session: Session, code: InitCode<T>, hash: Hex): Promise<Told<T>> {
  let told: Told<T> = { refusal: 'not asked' }
  await atBlock(session, { hash }, async (at) => {
    told = await ask(session, code, at)
  })
  return told
}

/** A refusal is no failure of the endpoint. */
async function ask<T>(session: Session, { data, gas, read }: InitCode<T>, at: unknown): Promise<Told<T>> {
  try {
    const { results } = await session.ask([{ method: 'eth_call', params: [{ data, gas: toQuantity(gas) }, at] }])
    const value = read(readBytes(results[0], 'eth_call result'))
    return value === null ? { refusal: 'another answer than the code gives' } : { value }
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Only where another call is answered, it was the code.
    if (error instanceof EndpointFailure) await session.ask([callRequest(CONTROL, at)])
    return { refusal: error.message }
  }
}

function isRefusal(error: unknown): error is MalformedAnswer | EndpointFailure {
  if (!(error instanceof EndpointFailure)) return error instanceof MalformedAnswer
  return error.verdict.kind !== 'rate' && error.verdict.kind !== 'not-yet'
}
