export const METHODS = 'GET, HEAD, OPTIONS'

const UNDER_V1 = /^\/v1(?:[/?]|$)/

export function failureBody(message: string, url = '', code?: string): string {
  return JSON.stringify({ error: message, code: UNDER_V1.test(url) ? code : undefined })
}
