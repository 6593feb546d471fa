import type { z } from 'zod'
import type { Scan, Scanned } from './page.ts'
import type { ListRoute, PostRoute, ReadRoute, RequestOf, Route } from './route.ts'
import type { V1Routes } from './routes.ts'

/** What a handler gets in addition to the parameters. */
export interface HandlerContext {
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
  /** Identifies the client, for turns among clients. */
  client: string
}

interface WithHeaders {
  headers?: Readonly<Record<string, string>>
}

/** Handles requests whose parameters were checked. */
type ReadHandler<R extends ReadRoute | PostRoute> = (
  request: RequestOf<R['request']>,
  context: HandlerContext,
) => Promise<WithHeaders & { body: z.output<R['body']> }>

/** Reads the rows of a page. */
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

/** A handler for every route. */
export type V1Handlers = { readonly [Operation in keyof V1Routes]: HandlerOf<V1Routes[Operation]> }

/** A row of a list. */
export type V1Row<Operation extends keyof V1Routes> = V1Routes[Operation] extends ListRoute
  ? z.output<V1Routes[Operation]['row']>
  : never

/** The body of a response that is not a list. */
export type V1Body<Operation extends keyof V1Routes> = V1Routes[Operation] extends ReadRoute | PostRoute
  ? z.output<V1Routes[Operation]['body']>
  : never
