import {
  csvWriter,
  type HandlerContext,
  type HandlerOf,
  InvalidRequest,
  type ListRoute,
  type PostRoute,
  parsePageRequest,
  parseRequest,
  pathParameters,
  type ReadRoute,
  type Route,
} from '@dexfeed/contract'

export interface RawRequest {
  path: string
  params: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  csv: boolean
  body?: unknown
}

export interface RouteResponse {
  headers: Record<string, string>
  text: string
}

export type Charge = (further: number) => void

export type Turn = <T>(work: () => Promise<T>) => Promise<T>

interface RouteRequest {
  route: Route
  handler: HandlerOf<Route>
  request: RawRequest
  context: HandlerContext
  /** Delays the handler. Invalid requests are refused without waiting. */
  turn: Turn
  charge: Charge
}

/** Returns the response of a route. @throws InvalidRequest, HttpFailure, StoreError */
export async function routeResponse(options: RouteRequest): Promise<RouteResponse> {
  const { route, handler, request, context, turn, charge } = options
  const raw = route.kind === 'post' ? bodyOf(request) : parametersOf(route, request)
  const cache = route.maxAgeS === 0 ? 'no-store' : `public, max-age=${route.maxAgeS}`
  if (route.kind !== 'list') {
    const read = handler as HandlerOf<ReadRoute | PostRoute>
    const parsed = parseRequest(route.request, raw)
    if (route.kind === 'post') charge(route.countedAs((parsed[route.parts] as readonly unknown[]).length) - 1)
    const { body, headers } = await turn(() => read(parsed, context))
    return { headers: { 'Cache-Control': cache, 'Content-Type': JSON_TYPE, ...headers }, text: JSON.stringify(body) }
  }
  const { filters, scan, page } = parsePageRequest(route, raw)
  const list = handler as HandlerOf<ListRoute>
  const { headers, ...scanned } = await turn(() => list(filters, scan, context))
  const found = page(scanned)
  const links = [linkTo(request, 'next', found.next), linkTo(request, 'prev', found.prev)].filter(Boolean)
  return {
    headers: {
      'Cache-Control': cache,
      'Content-Type': request.csv ? CSV_TYPE : JSON_TYPE,
      ...(links.length > 0 && { Link: links.join(', ') }),
      ...headers,
    },
    text: request.csv ? csvWriter(route.row)(found.data) : JSON.stringify(found),
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8'
const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

function parametersOf(route: Route, { params, query }: RawRequest): Record<string, unknown> {
  if (pathParameters(route.path).some((name) => Object.hasOwn(query, name))) {
    throw new InvalidRequest('a parameter of the path cannot be in the query', 'unknown_parameter')
  }
  return { ...query, ...params }
}

function bodyOf({ query, body }: RawRequest): unknown {
  if (Object.keys(query).length === 0) return body
  throw new InvalidRequest('unknown parameter; those of a POST are in its body', 'unknown_parameter')
}

/** Returns a link to another page of the same request. It is relative, so that any proxy can serve it. */
function linkTo({ path, query }: RawRequest, rel: string, cursor: string | null): string | null {
  if (cursor === null) return null
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string') parameters.set(name, value)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="${rel}"`
}
