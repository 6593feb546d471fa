export const METHODS = 'GET, HEAD, OPTIONS'

/** TradingView's protocol has its own fields for errors. */
const UNDER_UDF = /^\/udf(?:[/?]|$)/
const UNDER_V1 = /^\/v1(?:[/?]|$)/

export function failureBody(message: string, url = '', code?: string): string {
  if (UNDER_UDF.test(url)) return JSON.stringify({ s: 'error', errmsg: message, error: message })
  return JSON.stringify({ error: message, code: UNDER_V1.test(url) ? code : undefined })
}
