import { createHash } from 'node:crypto'
import { z } from 'zod'
import { InvalidRequest } from '../invalid-request.ts'
import { choiceParameter, countParameter } from '../parameters.ts'
import { orNull } from '../response-texts.ts'
import { type ListRoute, type Order, parseRequest, type RequestOf } from './route.ts'

interface Cursor<At> {
  /** `next` for a page that follows the place, `prev` for a page that ends there. */
  direction: 'next' | 'prev'
  at: At
}

const DIGEST_LENGTH = 12

/** Returns the text of a cursor. `scope` identifies the list: operation, filters and order. */
export function writeCursor<At>({ direction, at }: Cursor<At>, scope: string): string {
  const place = Buffer.from(JSON.stringify([direction, at])).toString('base64url')
  return `${place}.${digestOf(place, scope)}`
}

/**
 * Reads a cursor. The digest rejects cursors that were sent to the wrong list by mistake. A client can forge it, so the
 * place is checked like any other parameter.
 *
 * @throws InvalidRequest
 */
export function readCursor<Schema extends z.ZodType>(
  text: string,
  scope: string,
  at: Schema,
): Cursor<z.output<Schema>> {
  const fail = () => new InvalidRequest('cursor must be `next` or `prev` of a page of this very list', 'invalid_cursor')
  const [place = '', digest, ...rest] = text.split('.')
  if (rest.length > 0 || digest !== digestOf(place, scope)) throw fail()
  const [direction, raw] = parsed(Buffer.from(place, 'base64url').toString())
  const found = at.safeParse(raw)
  if (!found.success || (direction !== 'next' && direction !== 'prev')) throw fail()
  return { direction, at: found.data }
}

function digestOf(place: string, scope: string): string {
  return createHash('sha256').update(`${place} ${scope}`).digest('base64url').slice(0, DIGEST_LENGTH)
}

function parsed(json: string): [unknown?, unknown?] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? [value[0], value[1]] : []
  } catch {
    return []
  }
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_CURSOR_LENGTH = 1_024

const CURSOR_MESSAGE = 'cursor must be given once, as `next` or `prev` of a page'

export function pageParameters({ order, descendingBy }: ListRoute) {
  const withFigure = descendingBy === undefined ? '' : `, or \`desc\` with \`${descendingBy}\``
  return {
    limit: countParameter('limit', /^[1-9]\d{0,3}$/, MAX_LIMIT)
      .optional()
      .meta({
        description: `Maximum number of rows per page: 1 to ${MAX_LIMIT}, default ${DEFAULT_LIMIT}.`,
        example: '100',
      }),
    order: choiceParameter('order', ['asc', 'desc'], 'asc or desc')
      .optional()
      .meta({ description: `Default \`${order}\`${withFigure}.` }),
    format: choiceParameter('format', ['json', 'csv'], 'json or csv').optional().meta({
      description: 'For clients that cannot send the header `Accept`, such as spreadsheets; takes precedence.',
    }),
    cursor: z
      .string({ error: CURSOR_MESSAGE })
      .min(1, { error: CURSOR_MESSAGE })
      .max(MAX_CURSOR_LENGTH, { error: CURSOR_MESSAGE })
      .optional()
      .meta({
        description: 'Requests another page of this list: `next` or `prev` of a page with the same parameters.',
      }),
  }
}

export function pageOf(row: z.ZodObject) {
  const neighbour = (what: string) => orNull(z.string(), `Cursor of the page ${what}; null if there is none`)
  return z.strictObject({
    data: z.array(row).meta({
      description: 'The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null',
    }),
    next: neighbour('after this one'),
    prev: neighbour('before this one'),
  })
}

export interface Scan<At> {
  /** The order in which to read: the list's order, or its reverse for a page before a cursor. */
  order: Order
  /** Whether `order` is the reverse of the list's order. */
  isReversed?: boolean
  /** Null for the first page in this order. */
  from: At | null
  limit: number
}

export interface Scanned<Row, At> {
  rows: readonly Row[]
  /** Where a scan in the same order would continue, or null at the end. */
  reached: At | null
}

interface PageRequest<Filters extends z.ZodRawShape, At extends z.ZodType> {
  filters: RequestOf<Filters>
  scan: Scan<z.output<At>>
  /** Undefined if the header `Accept` decides. */
  format: 'json' | 'csv' | undefined
  page<Row>(scanned: Scanned<Row, z.output<At>>): Page<Row>
}

interface Page<Row> {
  data: readonly Row[]
  next: string | null
  prev: string | null
}

/** @throws InvalidRequest */
export function parsePageRequest<Filters extends z.ZodRawShape, Row extends z.ZodObject, At extends z.ZodType>(
  route: ListRoute<Filters, Row, At>,
  raw: unknown,
): PageRequest<Filters, At> {
  const {
    limit,
    order,
    format,
    cursor: text,
    ...filters
  } = parseRequest(shapeOf(route), raw) as {
    limit?: number
    order?: Order
    format?: 'json' | 'csv'
    cursor?: string
  }
  const isByFigure = route.descendingBy !== undefined && Object.hasOwn(filters, route.descendingBy)
  const listOrder = order ?? (isByFigure ? 'desc' : route.order)
  const scope = JSON.stringify([route.operation, listOrder, Object.entries(filters).sort(byName)], exact)
  const cursor = text === undefined ? null : readCursor(text, scope, route.at)
  const isReversed = cursor?.direction === 'prev'
  return {
    filters: filters as RequestOf<Filters>,
    scan: {
      order: isReversed ? reverseOf(listOrder) : listOrder,
      isReversed,
      from: cursor?.at ?? null,
      limit: limit ?? DEFAULT_LIMIT,
    },
    format,
    page: (scanned) => pageAround(cursor, scanned, (cursor) => writeCursor(cursor, scope)),
  }
}

const shapes = new WeakMap<object, z.ZodRawShape>()

function shapeOf(route: ListRoute): z.ZodRawShape {
  const known = shapes.get(route)
  if (known !== undefined) return known
  const shape = { ...route.filters, ...pageParameters(route) }
  shapes.set(route, shape)
  return shape
}

function pageAround<Row, At>(
  cursor: Cursor<At> | null,
  { rows, reached }: Scanned<Row, At>,
  write: (cursor: Cursor<At>) => string,
): Page<Row> {
  const next = (at: At | null) => (at === null ? null : write({ direction: 'next', at }))
  const prev = (at: At | null) => (at === null ? null : write({ direction: 'prev', at }))
  if (cursor?.direction === 'prev') return { data: [...rows].reverse(), next: next(cursor.at), prev: prev(reached) }
  return { data: rows, next: next(reached), prev: prev(cursor?.at ?? null) }
}

function reverseOf(order: Order): Order {
  return order === 'asc' ? 'desc' : 'asc'
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
