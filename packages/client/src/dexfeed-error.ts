/** Thrown when a request has failed after all attempts, with or without an error response. */
export class DexfeedError extends Error {
  override readonly name = 'DexfeedError'
  /** HTTP status, or null if there was no response. */
  readonly status: number | null
  /** Error code of a response under `/v1`, else null. */
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
