import { type ErrorCode, errorCodeOf } from '@dexfeed/contract'

export class HttpFailure extends Error {
  override readonly name: string = 'HttpFailure'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
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

export function notNow(message: string, retryAfterS = 1): HttpFailure {
  return new HttpFailure(503, message, { 'Retry-After': String(retryAfterS) })
}
