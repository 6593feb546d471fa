/** The methods that are answered everywhere. */
export const METHODS = 'GET, HEAD, OPTIONS'

const UNDER_V1 = /^\/v1(?:[/?]|$)/

/** The body of a failure of a request for this URL; under `/v1` it has the code beside the message. */
export function failureBody(message: string, url = '', code?: string): string {
  return JSON.stringify({ error: message, code: UNDER_V1.test(url) ? code : undefined })
}
