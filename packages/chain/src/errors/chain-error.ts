import type { RpcVerdict } from './classify-rpc-error.ts'

export class ChainError extends Error {
  override readonly name: string = 'ChainError'
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryable = options.retryable
  }
}

/** An endpoint serves a chain other than the configured one. None of its data may be used. */
export class WrongChainId extends ChainError {
  override readonly name = 'WrongChainId'
  /** Masked URL. */
  readonly endpoint: string

  constructor({ endpoint, expected, actual }: { endpoint: string; expected: number; actual: number }) {
    super(`${endpoint} serves chain ${actual}, expected ${expected}`, { retryable: false })
    this.endpoint = endpoint
  }
}

/** Responses contradict each other, because of a reorg in between, a lagging backend, or a node that lies. */
export class ChainInconsistent extends ChainError {
  override readonly name = 'ChainInconsistent'

  constructor({ endpoint, what }: { endpoint: string; what: string }) {
    super(`${endpoint} contradicts itself: ${what}`, { retryable: true })
  }
}

/** The block's hash does not commit to what the endpoint returned: the endpoint is broken, or lies. */
export class ProofFailed extends ChainError {
  override readonly name = 'ProofFailed'

  constructor({ endpoint, block, what }: { endpoint: string; block: number; what: string }) {
    super(`${endpoint} shows a false block ${block}: ${what}`, { retryable: true })
  }
}

/** No endpoint has the blocks (any more): they are above the head, orphaned, or pruned. */
export class BlocksUnavailable extends ChainError {
  override readonly name = 'BlocksUnavailable'

  constructor({ what, cause }: { what: string; cause: unknown }) {
    super(`no endpoint has ${what}`, { retryable: true, cause })
  }
}

/** No endpoint completed the operation before its deadline. */
export class RpcUnavailable extends ChainError {
  override readonly name = 'RpcUnavailable'

  constructor({ what, reasons, cause }: { what: string; reasons: readonly string[]; cause: unknown }) {
    super(`${what} failed on every endpoint: ${reasons.join('; ') || 'none usable'}`, { retryable: true, cause })
  }
}

interface FailureValues {
  /** Masked URL. */
  endpoint: string
  verdict: RpcVerdict
  method: string
  detail: string
  retryAfterMs?: number | null
  /** No usable response arrived, so what is known about the endpoint, including its chain, is in doubt. */
  down?: boolean
  code?: number | null
  cause?: unknown
}

/** One endpoint failed one request. The endpoint pool acts on the verdict. Never leaves this package. */
export class EndpointFailure extends ChainError {
  override readonly name = 'EndpointFailure'
  readonly verdict: RpcVerdict
  readonly method: string
  readonly retryAfterMs: number | null
  readonly down: boolean
  readonly code: number | null

  constructor({
    endpoint,
    verdict,
    method,
    detail,
    retryAfterMs = null,
    down = false,
    code = null,
    cause,
  }: FailureValues) {
    super(`${endpoint} ${method}: ${detail}`, { retryable: true, cause })
    this.verdict = verdict
    this.method = method
    this.retryAfterMs = retryAfterMs
    this.down = down
    this.code = code
  }

  /** Whether the endpoint has pruned history this old. It may still have newer blocks. */
  get isPruned(): boolean {
    return this.verdict.kind === 'unsupported' && this.verdict.what === 'history'
  }
}
