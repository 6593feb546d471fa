import type { Hex } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { MalformedResponse, readBytes, toQuantity } from '../json-rpc/rpc-value.ts'
import { atBlock, CONTROL, callRequest } from './at-block.ts'

interface InitCode<T> {
  data: Hex
  gas: number
  read: (response: Hex) => T | null
}

/**
 * Runs init code at a block (by hash) without deploying it, and returns the output as parsed by `read`. Returns null if
 * the endpoint does not run it. After three such blocks in a row, the endpoint is not asked again.
 */
export type RunInitCode = <T>(code: InitCode<T>, blockHash: Hex) => Promise<T | null>

/** More than one, because a refusal may be temporary. */
const MAX_REFUSALS = 3

export function initCodeRunner(
  pool: EndpointPool,
  log: ChainLog,
): { runInitCode: RunInitCode; runsInitCode: () => boolean } {
  let wasRun = false
  return {
    runsInitCode: () => wasRun,
    runInitCode: (code, blockHash) =>
      pool.run({ what: `code at ${blockHash}`, priority: 'bulk', method: 'eth_call' }, async (session) => {
        const value = await runAt(session, code, blockHash, log)
        wasRun = value !== null
        return value
      }),
  }
}

async function runAt<T>(session: Session, code: InitCode<T>, blockHash: Hex, log: ChainLog): Promise<T | null> {
  const { endpoint } = session
  const { codeRefusedAt } = endpoint
  if (codeRefusedAt.size >= MAX_REFUSALS) return null
  let outcome = { refusal: 'not requested' } as Outcome<T>
  await atBlock(session, { hash: blockHash }, async (block) => {
    outcome = await request(session, code, block)
  })
  if ('value' in outcome) {
    codeRefusedAt.clear()
    return outcome.value
  }
  const isNew = !codeRefusedAt.has(blockHash)
  codeRefusedAt.add(blockHash)
  if (isNew && codeRefusedAt.size === MAX_REFUSALS) {
    const what = { endpoint: endpoint.masked, reason: outcome.refusal }
    log.warn(what, 'rpc endpoint does not run undeployed code and is no longer used for it')
  }
  return null
}

type Outcome<T> = { value: T } | { refusal: string }

/** Returns a refusal instead of throwing it, so that it does not count as a failure of the endpoint. */
async function request<T>(
  session: Session,
  { data, gas, read }: InitCode<T>,
  blockParameter: unknown,
): Promise<Outcome<T>> {
  try {
    const { results } = await session.request([
      { method: 'eth_call', params: [{ data, gas: toQuantity(gas) }, blockParameter] },
    ])
    const value = read(readBytes(results[0], 'eth_call result'))
    return value === null ? { refusal: 'output that does not come from the code' } : { value }
  } catch (error) {
    if (!isRefusal(error)) throw error
    // The code is the reason only if the control call succeeds.
    if (error instanceof EndpointFailure) await session.request([callRequest(CONTROL, blockParameter)])
    return { refusal: error.message }
  }
}

function isRefusal(error: unknown): error is MalformedResponse | EndpointFailure {
  if (!(error instanceof EndpointFailure)) return error instanceof MalformedResponse
  return error.verdict.kind !== 'rate' && error.verdict.kind !== 'not-yet'
}
