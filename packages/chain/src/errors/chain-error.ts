import type { RpcVerdict } from './classify-rpc-error.ts'

/** Something the chain's nodes could not do for us. `retryable`: the same question may be answered later. */
export class ChainError extends Error {
  override readonly name: string = 'ChainError'
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryable = options.retryable
  }
}

/** An endpoint serves another chain than the configured one. Nothing that it says may be used. */
export class WrongChainId extends ChainError {
  override readonly name = 'WrongChainId'
  /** Masked. */
  readonly endpoint: string
  readonly expected: number
  readonly actual: number

  constructor({ endpoint, expected, actual }: { endpoint: string; expected: number; actual: number }) {
    super(`${endpoint} serves chain ${actual}, expected ${expected}`, { retryable: false })
    this.endpoint = endpoint
    this.expected = expected
    this.actual = actual
  }
}

/** Answers that contradict each other: a reorganisation in between, a lagging backend, or a node that lies. */
export class ChainInconsistent extends ChainError {
  override readonly name = 'ChainInconsistent'
  /** Masked. */
  readonly endpoint: string

  constructor({ endpoint, what }: { endpoint: string; what: string }) {
    super(`${endpoint} contradicts itself: ${what}`, { retryable: true })
    this.endpoint = endpoint
  }
}

/** Receipts that are not those which the block commits to: the endpoint is broken, or lies. */
export class ProofFailed extends ChainError {
  override readonly name = 'ProofFailed'
  /** Masked. */
  readonly endpoint: string

  constructor({ endpoint, block, what }: { endpoint: string; block: number; what: string }) {
    super(`${endpoint} shows a false block ${block}: ${what}`, { retryable: true })
    this.endpoint = endpoint
  }
}

/** Blocks that no endpoint has, or has any more: ahead of the head, orphaned, or pruned. */
export class BlocksUnavailable extends ChainError {
  override readonly name = 'BlocksUnavailable'

  constructor({ what, cause }: { what: string; cause: unknown }) {
    super(`no endpoint has ${what}`, { retryable: true, cause })
  }
}

/** No endpoint answered within the operation's deadline. */
export class RpcUnavailable extends ChainError {
  override readonly name = 'RpcUnavailable'

  constructor({ what, reasons, cause }: { what: string; reasons: readonly string[]; cause: unknown }) {
    super(`${what} failed on every endpoint: ${reasons.join('; ') || 'none usable'}`, { retryable: true, cause })
  }
}

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
