import type { z } from 'zod'
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

type ReadHandler<R extends ReadRoute | PostRoute> = (
  request: RequestOf<R['request']>,
  context: HandlerContext,
) => Promise<WithHeaders & { body: z.output<R['body']> }>

type ListHandler<R extends ListRoute> = (
  filters: RequestOf<R['filters']>,
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
