import { createClient, DexfeedError, type OperationName } from '@dexfeed/client'
import { SECOND } from '@dexfeed/dex'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ApiTool } from './api-tools.ts'

/** Longest body of a result, because a model reads all of it. */
const MAX_BYTES = 65_536
const RESPONSE_MS = 60 * SECOND
/** The model waits for the result, so a longer refusal is reported to it. */
const MAX_PAUSE_MS = 5 * SECOND
const ATTEMPTS = 3

/** Calls an operation. Errors of the API become results, not rejections. */
export type CallApi = (
  tool: ApiTool,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<CallToolResult>

export interface CallApiOptions {
  url: string
  headers?: Readonly<Record<string, string>>
}

export function callApi({ url: baseUrl, headers = {} }: CallApiOptions): CallApi {
  return async (tool, given, signal) => {
    const sent = { ...tool.defaults, ...given }
    let received = new Headers()
    const boundedFetch: typeof fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init)
      received = response.headers
      return await bounded(response, sent.limit)
    }
    const options = { baseUrl, headers, fetch: boundedFetch, attempts: ATTEMPTS, maxPauseMs: MAX_PAUSE_MS }
    try {
      const body = await createClient(options).call(tool.name as OperationName, sent as never, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)]),
      })
      const found = tool.headers.flatMap((name) => {
        const value = received.get(name)
        return value === null ? [] : [[name, value] as const]
      })
      const result = { body, headers: Object.fromEntries(found) }
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
    } catch (error) {
      signal.throwIfAborted()
      return { content: [{ type: 'text', text: sentenceOf(error, baseUrl) }], isError: true }
    }
  }
}

async function bounded(response: Response, limit: unknown): Promise<Response> {
  if (!response.ok || response.body === null) return response
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length
    // Leaving the loop cancels the body.
    if (bytes > MAX_BYTES) return tooLarge(limit)
    parts.push(part)
  }
  return new Response(Buffer.concat(parts), { status: response.status, headers: response.headers })
}

function tooLarge(limit: unknown): Response {
  const cure =
    limit === undefined
      ? 'narrow it by its parameters'
      : `narrow it by filters, or use a limit below ${String(limit)} and read on with the cursor`
  return Response.json({ error: `the result is larger than ${MAX_BYTES} bytes: ${cure}` }, { status: 413 })
}

function sentenceOf(error: unknown, baseUrl: string): string {
  if (!(error instanceof DexfeedError)) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return isLate ? `the API did not respond within ${RESPONSE_MS / SECOND} seconds` : reasonOf(error)
  }
  if (error.status === null) {
    return `the API at ${baseUrl} does not respond (${reasonOf(error.cause)}): check that it runs, and --url`
  }
  const code = error.code === null ? '' : `, ${error.code}`
  return `${error.message} (HTTP ${error.status}${code})`
}

/** Returns why a `fetch` failed, which is in the error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name) : error.message
}
