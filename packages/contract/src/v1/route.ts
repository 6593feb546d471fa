import { z } from 'zod'
import { parseQuery } from '../invalid-request.ts'

// A route under /v1 is declared once. The declaration checks its request, checks its response and documents both.

/** What every route declares. */
interface Declared {
  operation: string
  /** The path, with its parameters in braces. */
  path: `/v1/${string}`
  summary: string
  description?: string
  /** How long a client may cache the response, in seconds. */
  maxAgeS: number
  /** Statuses of its failures in addition to those of every route. */
  failures: readonly number[]
  /** Headers of the response. */
  headers?: z.ZodObject<Record<string, z.ZodType>>
}

/** A route that returns one object. */
export interface ReadRoute<Request extends z.ZodRawShape = z.ZodRawShape, Body extends z.ZodType = z.ZodType>
  extends Declared {
  kind: 'read'
  /** Parameters of path and query. */
  request: Request
  body: Body
}

/** A route that reads by a POST, because its request is long: a JSON body instead of a query. */
export interface PostRoute<Request extends z.ZodRawShape = z.ZodRawShape, Body extends z.ZodType = z.ZodType>
  extends Declared {
  kind: 'post'
  /** The fields of the request's body. */
  request: Request
  body: Body
  /** How many requests one with this many parts counts as. */
  countedAs: (parts: number) => number
  /** The field that holds the parts. */
  parts: keyof Request & string
}

export type Order = 'asc' | 'desc'

/** A route that returns pages of a list. */
export interface ListRoute<
  Filters extends z.ZodRawShape = z.ZodRawShape,
  Row extends z.ZodObject = z.ZodObject,
  At extends z.ZodType = z.ZodType,
> extends Declared {
  kind: 'list'
  /** Parameters other than `limit`, `order` and `cursor`. */
  filters: Filters
  row: Row
  /** A place between two rows, as cursors hold it. */
  at: At
  /** The default order. */
  order: Order
  /** A filter with which the default is `desc`: the largest come first. */
  descendingBy?: string
}

export type Route = ReadRoute | ListRoute | PostRoute

export type RequestOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** Returns the names of a path's parameters. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Schemas by shape. Building one takes many times as long as checking a request by it. */
const schemas = new WeakMap<z.ZodRawShape, z.ZodObject>()

/** Returns the schema of a request that refuses all other parameters, built once. */
function strictRequest(shape: z.ZodRawShape): z.ZodObject {
  const built = schemas.get(shape)
  if (built !== undefined) return built
  const names = Object.keys(shape)
  const known = names.length === 0 ? 'this route has none' : `known are ${names.join(', ')}`
  const schema = z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `unknown parameter; ${known}` : 'the parameters must be a JSON object',
  })
  schemas.set(shape, schema)
  return schema
}

/**
 * Checks the parameters of a request.
 * @throws InvalidRequest
 */
export function parseRequest<Shape extends z.ZodRawShape>(shape: Shape, raw: unknown): RequestOf<Shape> {
  return parseQuery(strictRequest(shape), raw) as RequestOf<Shape>
}
