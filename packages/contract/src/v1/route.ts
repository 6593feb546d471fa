import { z } from 'zod'
import { InvalidRequest, parseQuery } from '../invalid-request.ts'

interface Declared {
  operation: string
  path: `/v1/${string}`
  summary: string
  description?: string
  /** How long a client may cache the response. */
  maxAgeS: number
  /** Statuses in addition to those that every route may return. */
  failures: readonly number[]
  headers?: z.ZodObject<Record<string, z.ZodType>>
  /** Other names of parameters, because clients know them from other routes or services. */
  aliases?: Readonly<Record<string, string>>
}

export interface ReadRoute<Request extends z.ZodRawShape = z.ZodRawShape, Body extends z.ZodType = z.ZodType>
  extends Declared {
  kind: 'read'
  request: Request
  body: Body
}

export interface PostRoute<Request extends z.ZodRawShape = z.ZodRawShape, Body extends z.ZodType = z.ZodType>
  extends Declared {
  kind: 'post'
  request: Request
  body: Body
  countedAs: (parts: number) => number
  parts: keyof Request & string
}

export type Order = 'asc' | 'desc'

export interface ListRoute<
  Filters extends z.ZodRawShape = z.ZodRawShape,
  Row extends z.ZodObject = z.ZodObject,
  At extends z.ZodType = z.ZodType,
> extends Declared {
  kind: 'list'
  /** Parameters besides `limit`, `order` and `cursor`. */
  filters: Filters
  row: Row
  at: At
  order: Order
  /** If this filter is given, the default order is `desc`. */
  descendingBy?: string
}

export type Route = ReadRoute | ListRoute | PostRoute

export type RequestOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** By shape, because building a schema takes many times as long as checking a request. */
const schemas = new WeakMap<z.ZodRawShape, z.ZodObject>()

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

/** @throws InvalidRequest */
export function parseRequest<Shape extends z.ZodRawShape>(
  shape: Shape,
  raw: unknown,
  aliases: Readonly<Record<string, string>> = {},
): RequestOf<Shape> {
  return parseQuery(strictRequest(shape), renamed(raw, aliases)) as RequestOf<Shape>
}

/** Reads the parameters of a shape. Ignores others, which clients of other services send. @throws InvalidRequest */
export function parseKnown<Shape extends z.ZodRawShape>(shape: Shape, raw: unknown): RequestOf<Shape> {
  return parseQuery(z.object(shape), raw) as RequestOf<Shape>
}

function renamed(raw: unknown, aliases: Readonly<Record<string, string>>): unknown {
  const given = Object.entries(aliases).filter(([alias]) => Object.hasOwn(Object(raw), alias))
  if (given.length === 0) return raw
  const request = { ...(raw as Record<string, unknown>) }
  for (const [alias, name] of given) {
    if (Object.hasOwn(request, name)) throw new InvalidRequest(`${alias} is another name of ${name}; give only one`)
    request[name] = request[alias]
    delete request[alias]
  }
  return request
}
