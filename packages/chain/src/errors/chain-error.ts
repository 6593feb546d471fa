import type { RpcVerdict } from './classify-rpc-error.ts'

/** An operation that the chain's nodes could not do. `retryable`: the same request may succeed later. */
export class ChainError extends Error {
  override readonly name: string = 'ChainError'
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryable = options.retryable
  }
}

/** An endpoint serves another chain than the configured one. None of its data may be used. */
export class WrongChainId extends ChainError {
  override readonly name = 'WrongChainId'
  /** Masked. */
  readonly endpoint: string

  constructor({ endpoint, expected, actual }: { endpoint: string; expected: number; actual: number }) {
    super(`${endpoint} serves chain ${actual}, expected ${expected}`, { retryable: false })
    this.endpoint = endpoint
  }
}

/** Responses that contradict each other: a reorg in between, a lagging backend, or a node that lies. */
export class ChainInconsistent extends ChainError {
  override readonly name = 'ChainInconsistent'

  constructor({ endpoint, what }: { endpoint: string; what: string }) {
    super(`${endpoint} contradicts itself: ${what}`, { retryable: true })
  }
}

/** The block does not commit to what the endpoint returned: it is broken, or lies. */
export class ProofFailed extends ChainError {
  override readonly name = 'ProofFailed'

  constructor({ endpoint, block, what }: { endpoint: string; block: number; what: string }) {
    super(`${endpoint} shows a false block ${block}: ${what}`, { retryable: true })
  }
}

/** Blocks that no endpoint has (any more): above the head, orphaned, or pruned. */
export class BlocksUnavailable extends ChainError {
  override readonly name = 'BlocksUnavailable'

  constructor({ what, cause }: { what: string; cause: unknown }) {
    super(`no endpoint has ${what}`, { retryable: true, cause })
  }
}

/** No endpoint responded within the operation's deadline. */
export class RpcUnavailable extends ChainError {
  override readonly name = 'RpcUnavailable'

  constructor({ what, reasons, cause }: { what: string; reasons: readonly string[]; cause: unknown }) {
    super(`${what} failed on every endpoint: ${reasons.join('; ') || 'none usable'}`, { retryable: true, cause })
  }
}

interface FailureValues {
  /** Masked. */
  endpoint: string
  verdict: RpcVerdict
  method: string
  detail: string
  /** The server's `Retry-After`, in milliseconds. */
  retryAfterMs?: number | null
  /** No usable response came at all: what is known about the endpoint, also its chain, is in doubt. */
  down?: boolean
  /** The JSON-RPC error code. */
  code?: number | null
  cause?: unknown
}

/** One endpoint failed one request, with the verdict that the endpoint pool acts on. Never leaves this package. */
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
