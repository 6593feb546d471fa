/** A failure that remained after all attempts: an error response, or none at all. */
export class DexfeedError extends Error {
  override readonly name = 'DexfeedError'
  /** HTTP status; null without a response. */
  readonly status: number | null
  /** The error code of responses under `/v1`; else null. */
  readonly code: string | null
  /** Identifies the request in the server's log. */
  readonly requestId: string | null

  constructor(
    message: string,
    {
      status,
      code,
      requestId,
      cause,
    }: { status: number | null; code?: unknown; requestId?: string | null; cause?: unknown },
  ) {
    super(message, { cause })
    this.status = status
    this.code = typeof code === 'string' ? code : null
    this.requestId = requestId ?? null
  }
}
