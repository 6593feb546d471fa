import {
  BlocksUnavailable,
  ChainError,
  ChainInconsistent,
  ProofFailed,
  RpcUnavailable,
  WrongChainId,
} from '../errors/chain-error.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { Endpoint } from './endpoint.ts'

/** Asking this endpoint again within the operation would bring the same. */
export function isUseless(error: ChainError): boolean {
  if (error instanceof WrongChainId || error instanceof ProofFailed) return true
  if (!(error instanceof EndpointFailure)) return false
  const { verdict } = error
  if (verdict.kind === 'range') return verdict.to === null
  return verdict.kind === 'unsupported' || verdict.kind === 'dead' || verdict.kind === 'reverted'
}

/** The blocks are missing or do not fit together: nothing is wrong with the endpoint itself. */
export function isUnsettled(error: ChainError): boolean {
  return error instanceof ChainInconsistent || (error instanceof EndpointFailure && error.verdict.kind === 'not-yet')
}

export interface FailedOperation {
  what: string
  endpoints: readonly Endpoint[]
  /** What came last from each endpoint, in this operation or before. */
  troubleOf: (endpoint: Endpoint) => ChainError | null
  /** The operation's last error; null if none of the endpoints was fit to be asked. */
  last: ChainError | null
}

/** The error that an operation ends with when no endpoint could do it. */
export function operationFailure({ what, endpoints, troubleOf, last }: FailedOperation): ChainError {
  if (last instanceof ChainInconsistent) return last
  if (last && isUnsettled(last)) return new BlocksUnavailable({ what, cause: last })
  const troubles = endpoints.map(troubleOf)
  const wrong = troubles.find((trouble) => trouble instanceof WrongChainId)
  if (wrong && troubles.every((trouble) => trouble instanceof WrongChainId)) return wrong
  const reasons = endpoints.map((endpoint, i) => {
    const text = troubles[i]?.message ?? 'is set aside'
    return text.startsWith(endpoint.masked) ? text : `${endpoint.masked} ${text}`
  })
  return new RpcUnavailable({ what, reasons, cause: last ?? troubles.at(-1) })
}

/** Whether an operation failed because no endpoint keeps so much of history. */
export function isTooOld(error: unknown): boolean {
  return error instanceof RpcUnavailable && error.cause instanceof EndpointFailure && error.cause.isPruned
}

export function closedError(): ChainError {
  return new ChainError('the chain client is closed', { retryable: false })
}
