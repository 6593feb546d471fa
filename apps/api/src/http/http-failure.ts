import { type ErrorCode, errorCodeOf } from '@dexfeed/contract'

/** A failure that the caller learns of: status, message, and headers beside the usual ones. */
export class HttpFailure extends Error {
  override readonly name: string = 'HttpFailure'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What it is called under `/v1`. */
  readonly code: ErrorCode

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code: ErrorCode = errorCodeOf(status),
  ) {
    super(message)
    this.status = status
    this.headers = headers
    this.code = code
  }
}

/** Not now, but soon. */
export function notNow(message: string, retryAfterS = 1): HttpFailure {
  return new HttpFailure(503, message, { 'Retry-After': String(retryAfterS) })
}
