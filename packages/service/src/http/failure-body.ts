export const METHODS = 'GET, HEAD, OPTIONS'

const UNDER_V1 = /^\/v1(?:[/?]|$)/

/** Returns the body of an error response; under `/v1` with the code. */
export function failureBody(message: string, url = '', code?: string): string {
  return JSON.stringify({ error: message, code: UNDER_V1.test(url) ? code : undefined })
}
