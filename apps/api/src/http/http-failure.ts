/** A failure that the caller learns of: status, message, and headers beside the usual ones. */
export class HttpFailure extends Error {
  override readonly name: string = 'HttpFailure'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Not now, but soon. */
export function notNow(message: string, retryAfterS = 1): HttpFailure {
  return new HttpFailure(503, message, { 'Retry-After': String(retryAfterS) })
}
