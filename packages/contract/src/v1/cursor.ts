import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { InvalidRequest } from '../invalid-request.ts'

export interface Cursor<At> {
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
