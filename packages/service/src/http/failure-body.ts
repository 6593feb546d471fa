export const METHODS = 'GET, HEAD, OPTIONS'

/** TradingView's protocol has its own fields for errors. */
const UNDER_UDF = /^\/udf(?:[/?]|$)/
/** So has GeckoTerminal's API (JSON:API). */
const UNDER_GECKOTERMINAL = /^\/adapters\/geckoterminal(?:[/?]|$)/
const UNDER_V1 = /^\/v1(?:[/?]|$)/

export function failureBody(
  message: string,
  url = '',
  { code, status }: { code?: string; status?: number } = {},
): string {
  if (UNDER_UDF.test(url)) return JSON.stringify({ s: 'error', errmsg: message, error: message })
  if (UNDER_GECKOTERMINAL.test(url)) return JSON.stringify({ errors: [{ status: String(status), title: message }] })
  return JSON.stringify({ error: message, code: UNDER_V1.test(url) ? code : undefined })
}
