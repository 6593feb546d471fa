import { z } from 'zod'
import { parseQuery } from '../invalid-request.ts'

// A route under /v1 is declared once: its request and response are checked, answered and documented by it.

/** What every route declares. */
interface Declared {
  operation: string
  /** With its parameters in braces. */
  path: `/v1/${string}`
  summary: string
  description?: string
  /** For how long the answer may be kept. Seconds. */
  maxAgeS: number
  /** Statuses that it answers with beside those of every route. */
  failures: readonly number[]
  /** Headers of the answer. */
  headers?: z.ZodObject<Record<string, z.ZodType>>
}

/** A route that answers with one thing. */
export interface ReadRoute<Request extends z.ZodRawShape = z.ZodRawShape, Body extends z.ZodType = z.ZodType>
  extends Declared {
  kind: 'read'
  /** Parameters of path and query together. */
  request: Request
  body: Body
}

export type Order = 'asc' | 'desc'

/** A route that answers with pages of a list. */
export interface ListRoute<
  Filters extends z.ZodRawShape = z.ZodRawShape,
  Row extends z.ZodObject = z.ZodObject,
  At extends z.ZodType = z.ZodType,
> extends Declared {
  kind: 'list'
  /** Parameters beside `limit`, `order` and `cursor`. */
  filters: Filters
  row: Row
  /** A place between two rows, as cursors hold it. */
  at: At
  /** The order without `order`. */
  order: Order
  /** A filter with which that is `desc`: the largest come first. */
  descendingBy?: string
}

export type Route = ReadRoute | ListRoute

export type RequestOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** The names of a path's parameters. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** The schema of a request that knows no other parameters than these. */
function strictRequest<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape)
  const known = names.length === 0 ? 'there are none here' : `known are ${names.join(', ')}`
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `unknown parameter; ${known}` : undefined),
  })
}

/** Checks the parameters of a request. @throws InvalidRequest */
export function parseRequest<Shape extends z.ZodRawShape>(shape: Shape, raw: unknown): RequestOf<Shape> {
  return parseQuery(strictRequest(shape), raw) as RequestOf<Shape>
}
