import { DexfeedError } from './dexfeed-error.ts'
import { OPERATIONS, type Operations, STREAMS, type Streams } from './generated/operations.ts'
import { pauseFor, type RetryOptions, sendWithRetries } from './retry.ts'
import { type StreamOptions, streamEvents } from './stream.ts'

export type OperationName = keyof Operations
type Parameters<Name extends OperationName> = Operations[Name]['parameters']
type Result<Name extends OperationName> = Operations[Name]['result']

interface AnyPage {
  data: readonly unknown[]
  next: string | null
  prev: string | null
}

export type ListName = { [Name in OperationName]: Result<Name> extends AnyPage ? Name : never }[OperationName]
type Row<Name extends ListName> = Result<Name>['data'][number]

export interface ClientOptions extends Partial<RetryOptions> {
  baseUrl: string
  headers?: Readonly<Record<string, string>>
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  signal?: AbortSignal
}

export interface Client {
  /** Sends a request and returns its result. @throws DexfeedError */
  call<Name extends OperationName>(
    name: Name,
    parameters: Parameters<Name>,
    options?: CallOptions,
  ): Promise<Result<Name>>
  /** Yields the pages of a list, from its beginning or from `cursor`. @throws DexfeedError */
  pages<Name extends ListName>(
    name: Name,
    parameters: Parameters<Name>,
    options?: CallOptions,
  ): AsyncGenerator<Result<Name>, undefined>
  /** Yields the rows of all pages of a list. @throws DexfeedError */
  rows<Name extends ListName>(
    name: Name,
    parameters: Parameters<Name>,
    options?: CallOptions,
  ): AsyncGenerator<Row<Name>, undefined>
  /** Yields the events of `/v1/stream`, reconnecting when needed. @throws DexfeedError if the server refuses */
  stream(
    parameters: Streams['stream']['parameters'],
    options?: StreamOptions,
  ): AsyncGenerator<Streams['stream']['event'], undefined>
}

export function createClient({
  baseUrl,
  headers = {},
  fetch = globalThis.fetch,
  attempts = 5,
  maxPauseMs = 60_000,
  pause = pauseFor,
}: ClientOptions): Client {
  async function call<Name extends OperationName>(
    name: Name,
    parameters: Parameters<Name>,
    { signal }: CallOptions = {},
  ): Promise<Result<Name>> {
    const { url, init } = requestOf(baseUrl, name, parameters)
    const send = () =>
      fetch(url, {
        ...init,
        headers: { Accept: 'application/json', ...init.headers, ...headers },
        ...(signal && { signal }),
      })
    return (await sendWithRetries({ send, read: bodyOf }, { attempts, maxPauseMs, pause }, signal)) as Result<Name>
  }

  async function* pages<Name extends ListName>(
    name: Name,
    parameters: Parameters<Name>,
    options?: CallOptions,
  ): AsyncGenerator<Result<Name>, undefined> {
    let cursor: string | null = null
    for (;;) {
      const page: Result<Name> = await call(name, cursor === null ? parameters : { ...parameters, cursor }, options)
      yield page
      if (page.next === null) return
      if (page.next === cursor) throw new DexfeedError('the list repeats a page', { status: 200 })
      cursor = page.next
    }
  }

  async function* rows<Name extends ListName>(
    name: Name,
    parameters: Parameters<Name>,
    options?: CallOptions,
  ): AsyncGenerator<Row<Name>, undefined> {
    for await (const { data } of pages(name, parameters, options)) yield* data
  }

  const stream: Client['stream'] = (parameters, options = {}) => {
    const url = new URL(baseUrl.replace(/\/$/, '') + STREAMS.stream.path)
    for (const [key, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(key, value)
    const connect = async (lastId: string | null, signal: AbortSignal) => {
      const own = { Accept: 'text/event-stream', ...headers, ...(lastId !== null && { 'Last-Event-ID': lastId }) }
      const send = () => fetch(url, { headers: own, signal })
      const read = async (response: Response) => {
        if (!response.ok) await bodyOf(response)
        return response
      }
      return await sendWithRetries({ send, read }, { attempts, maxPauseMs, pause }, signal)
    }
    return streamEvents({ connect, pause }, options)
  }

  return { call, pages, rows, stream }
}

interface Place {
  method: string
  path: string
  inPath: readonly string[]
}

function requestOf(baseUrl: string, name: OperationName, parameters: object) {
  const { method, path, inPath }: Place = OPERATIONS[name]
  const url = new URL(
    baseUrl.replace(/\/$/, '') + path.replaceAll(/\{(\w+)\}/g, (_, key: string) => segmentOf(parameters, key)),
  )
  if (method === 'POST') {
    return { url, init: { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(parameters) } }
  }
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && !inPath.includes(key)) url.searchParams.set(key, String(value))
  }
  return { url, init: { method, headers: {} } }
}

function segmentOf(parameters: object, key: string): string {
  const value = encodeURIComponent(String((parameters as Record<string, unknown>)[key]))
  if (/^\.{0,2}$/.test(value)) throw new RangeError(`${key} cannot be part of a path`)
  return value
}

/**
 * @throws DexfeedError for an error response or a body that is not JSON; the error of `fetch` if the body is cut off
 */
async function bodyOf(response: Response): Promise<unknown> {
  const requestId = response.headers.get('x-request-id')
  const { status } = response
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new DexfeedError('the response is not JSON', { status, requestId, cause })
  }
  if (response.ok) return body
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown }
  const message = typeof error === 'string' ? error : `the server responded with status ${status}`
  throw new DexfeedError(message, { status, code, requestId })
}
