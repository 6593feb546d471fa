import type { z } from 'zod'
import type { TokenReference, TokenSymbol } from '../parameters.ts'
import type { Scan, Scanned } from './page.ts'
import type { ListRoute, PostRoute, ReadRoute, RequestOf, Route } from './route.ts'
import type { V1Routes } from './routes.ts'

interface HandlerContext {
  signal: AbortSignal
  client: string
}

interface WithHeaders {
  headers?: Readonly<Record<string, string>>
}

type Addressed<Value> = Value extends readonly TokenReference[] ? readonly `0x${string}`[] : Exclude<Value, TokenSymbol>

/** A checked request in which every token is given by its address; the coin's is the zero address or a placeholder. */
export type WithAddresses<Request> = { [Name in keyof Request]: Addressed<Request[Name]> }

type ReadHandler<R extends ReadRoute | PostRoute> = (
  request: WithAddresses<RequestOf<R['request']>>,
  context: HandlerContext,
) => Promise<WithHeaders & { body: z.output<R['body']> }>

type ListHandler<R extends ListRoute> = (
  filters: WithAddresses<RequestOf<R['filters']>>,
  scan: Scan<z.output<R['at']>>,
  context: HandlerContext,
) => Promise<WithHeaders & Scanned<z.output<R['row']>, z.output<R['at']>>>

export type HandlerOf<R extends Route> = R extends ListRoute
  ? ListHandler<R>
  : R extends ReadRoute | PostRoute
    ? ReadHandler<R>
    : never

export type V1Handlers = { readonly [Operation in keyof V1Routes]: HandlerOf<V1Routes[Operation]> }

export type V1Row<Operation extends keyof V1Routes> = V1Routes[Operation] extends ListRoute
  ? z.output<V1Routes[Operation]['row']>
  : never

export type V1Body<Operation extends keyof V1Routes> = V1Routes[Operation] extends ReadRoute | PostRoute
  ? z.output<V1Routes[Operation]['body']>
  : never
