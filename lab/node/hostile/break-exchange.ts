import type { ServerResponse } from 'node:http'
import type { RpcMessage } from '../rpc/serve.ts'
import type { Fault } from './faults.ts'

/** Longer than an impatient client waits for a whole response. */
const LATE_MS = 120
const SLOW_BYTE_MS = 40
/** Items of a batch that an endpoint accepts if it limits them. */
const ITEMS_TAKEN = 3
const TOO_MANY_ITEMS = `Too many items in request: max ${ITEMS_TAKEN}`

/**
 * Breaks an HTTP exchange.
 *
 * @param text the whole response
 * @returns whether the fault sent the response, or will send none
 */
export function breakExchange(
  fault: Fault | null,
  messages: readonly RpcMessage[],
  text: string,
  response: ServerResponse,
): boolean {
  const json = (body: string): true => {
    response.setHeader('content-type', 'application/json').end(body)
    return true
  }
  const error = (code: number, message: string): true =>
    json(JSON.stringify(messages.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }))))
  switch (fault) {
    case 'rate-limit':
      response.writeHead(429).end('Too Many Requests')
      return true
    case 'rate-limit-retry-after':
      response.writeHead(429, { 'retry-after': '3' }).end('{"error":"slow down"}')
      return true
    case 'rate-limit-in-json':
      return error(429, 'rate limited')
    case 'rate-limit-by-item':
      return json(refusedAfter(ITEMS_TAKEN, text))
    case 'too-many-items':
      if (messages.length <= ITEMS_TAKEN) return false
      return json(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: TOO_MANY_ITEMS } }))
    case 'html-502':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>')
      return true
    case 'wrong-id':
      return json(
        JSON.stringify(messages.map(({ id }) => ({ jsonrpc: '2.0', id: Number(id) + 1_000_000, result: null }))),
      )
    case 'no-result':
      return json(JSON.stringify(messages.map(({ id }) => ({ jsonrpc: '2.0', id }))))
    case 'truncated':
      return json(text.slice(0, text.length >> 1))
    case 'slow-body':
      dribble(text, response)
      return true
    case 'disconnect':
    case 'down':
      response.destroy()
      return true
    case 'no-answer':
      return true
    case 'late':
      setTimeout(() => response.end(text), LATE_MS).unref()
      return true
    default:
      return false
  }
}

/** Returns a response to a batch that refuses all items after the first ones, which used up the budget. */
function refusedAfter(taken: number, text: string): string {
  const replies: unknown = JSON.parse(text)
  if (!Array.isArray(replies)) return text
  const refused = { code: 429, message: 'rate limited' }
  return JSON.stringify(
    replies.map((reply: { id: unknown }, i) => (i < taken ? reply : { jsonrpc: '2.0', id: reply.id, error: refused })),
  )
}

/** Sends the headers now, then a byte at a time until the client disconnects. */
function dribble(text: string, response: ServerResponse): void {
  let at = 0
  const timer = setInterval(() => {
    if (response.destroyed || at >= text.length) clearInterval(timer)
    else response.write(text[at++])
  }, SLOW_BYTE_MS).unref()
}
