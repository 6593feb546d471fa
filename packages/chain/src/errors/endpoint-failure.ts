import { ChainError } from './chain-error.ts'
import type { RpcVerdict } from './classify-rpc-error.ts'

/** One endpoint failed one request: what it means, for the endpoint pool to act on. Never leaves the package. */
export class EndpointFailure extends ChainError {
  override readonly name = 'EndpointFailure'
  /** Masked. */
  readonly endpoint: string
  readonly verdict: RpcVerdict
  readonly method: string
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | null
  /** No usable answer came at all: what is known of the endpoint is in doubt, its chain included. */
  readonly down: boolean
  /** The error code inside JSON-RPC. */
  readonly code: number | null

  constructor(values: {
    endpoint: string
    verdict: RpcVerdict
    method: string
    detail: string
    retryAfterMs?: number | null
    down?: boolean
    code?: number | null
    cause?: unknown
  }) {
    super(`${values.endpoint} ${values.method}: ${values.detail}`, { retryable: true, cause: values.cause })
    this.endpoint = values.endpoint
    this.verdict = values.verdict
    this.method = values.method
    this.retryAfterMs = values.retryAfterMs ?? null
    this.down = values.down ?? false
    this.code = values.code ?? null
  }

  /** Whether the endpoint keeps no history so old, which says nothing of younger blocks. */
  get isPruned(): boolean {
    return this.verdict.kind === 'unsupported' && this.verdict.what === 'history'
  }
}
