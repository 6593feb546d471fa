/** An answer that is no success, after all tries; or none at all. */
export class DexfeedError extends Error {
  override readonly name = 'DexfeedError'
  /** HTTP status; null when nothing answered. */
  readonly status: number | null
  /** What it is called for programs: of answers under `/v1`, else null. */
  readonly code: string | null
  /** Finds the request in the server's log. */
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
