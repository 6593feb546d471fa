import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parsePageRequest, readCursor, type Scan, type Scanned, writeCursor } from './page.ts'
import type { ListRoute } from './route.ts'

/** A list of numbers. A place is the number that follows it. */
const numbers = {
  kind: 'list',
  operation: 'listNumbers',
  path: '/v1/numbers',
  summary: 'Numbers',
  maxAgeS: 1,
  failures: [],
  filters: { even: z.enum(['true', 'false']).optional() },
  row: z.strictObject({ n: z.int() }),
  at: z.int().min(0),
  order: 'desc',
} as const satisfies ListRoute

/** Reads at most `budget` numbers for a page, even if too few of them are wanted. */
function scanOf(all: readonly number[], isWanted: (n: number) => boolean, budget: number) {
  return ({ order, from, limit }: Scan<number>): Scanned<{ n: number }, number> => {
    const isAscending = order === 'asc'
    const ahead = isAscending
      ? all.filter((n) => n >= (from ?? 0))
      : all.filter((n) => n < (from ?? Number.POSITIVE_INFINITY)).reverse()
    const rows: { n: number }[] = []
    let read = 0
    for (const n of ahead) {
      if (rows.length === limit || read++ === budget) return { rows, reached: isAscending ? n : n + 1 }
      if (isWanted(n)) rows.push({ n })
    }
    return { rows, reached: null }
  }
}

describe('pages', () => {
  it('pages read to the end and back give exactly the rows of the list, with any page size', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 99 })),
        fc.constantFrom('asc', 'desc'),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 9 }),
        (values, order, even, limit, budget) => {
          const all = values.sort((a, b) => a - b)
          const isWanted = (n: number) => !even || n % 2 === 0
          const scan = scanOf(all, isWanted, budget)
          const get = (cursor: string | null) => {
            const query = { limit: String(limit), order, ...(even && { even: 'true' }), ...(cursor && { cursor }) }
            const request = parsePageRequest(numbers, query)
            return request.page(scan(request.scan))
          }
          const there = [get(null)]
          for (let next = there[0]?.next ?? null; next !== null; next = there.at(-1)?.next ?? null) {
            there.push(get(next))
            expect(there.length).toBeLessThan(250)
          }
          const wanted = all.filter(isWanted)
          if (order === 'desc') wanted.reverse()
          expect(there.flatMap(({ data }) => data.map(({ n }) => n))).toEqual(wanted)
          expect(there[0]?.prev).toBeNull()

          const back = []
          for (let prev = there.at(-1)?.prev ?? null; prev !== null; prev = back[0]?.prev ?? null) {
            back.unshift(get(prev))
            expect(back.length).toBeLessThan(250)
          }
          const last = there.at(-1)?.data ?? []
          expect([...back.flatMap(({ data }) => data), ...last].map(({ n }) => n)).toEqual(wanted)
          for (const page of back) expect(page.next).not.toBeNull()
        },
      ),
    )
  })

  const first = parsePageRequest(numbers, { even: 'true' })
  const cursor = first.page({ rows: [], reached: 7 }).next ?? ''

  it('continue with any size', () => {
    expect(parsePageRequest(numbers, { even: 'true', cursor, limit: '3' }).scan).toEqual({
      ...first.scan,
      from: 7,
      limit: 3,
    })
  })

  it.each([
    ['another filter', { even: 'false', cursor }],
    ['no filter', { cursor }],
    ['another order', { even: 'true', order: 'asc', cursor }],
    ['a part of it', { even: 'true', cursor: cursor.slice(1) }],
    ['something after it', { even: 'true', cursor: `${cursor}.` }],
    ['no digest', { even: 'true', cursor: cursor.split('.')[0] }],
    ['other text', { even: 'true', cursor: '\u0000"' }],
  ])('a cursor with %s is refused', (_, query) => {
    expect(() => parsePageRequest(numbers, query)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
  })

  it('a place that no page names is refused, even in a well-formed cursor', () => {
    for (const at of [-1, 'x', null]) {
      const made = first.page({ rows: [], reached: at as number }).next
      if (made === null) continue
      const read = () => parsePageRequest(numbers, { even: 'true', cursor: made })
      expect(read).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
    }
  })

  it('a direction that no page has is refused, even in a well-formed cursor', () => {
    const read = (direction: string) => {
      return readCursor(writeCursor({ direction: direction as 'next', at: 7 }, 'a list'), 'a list', z.int())
    }
    expect(read('next')).toEqual({ direction: 'next', at: 7 })
    expect(() => read('back')).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
  })

  it.each([
    { limit: '0' },
    { limit: '1001' },
    { limit: '1e2' },
    { limit: ['1', '2'] },
    { order: 'ASC' },
    { order: ['asc', 'asc'] },
    { cursor: '' },
    { cursor: 'x'.repeat(1_025) },
    { even: '1' },
  ])('%j is refused', (query) => {
    expect(() => parsePageRequest(numbers, query)).toThrow(expect.objectContaining({ code: 'invalid_parameter' }))
  })

  it.each(['evne', 'even[]', 'Even', '', '__proto__', 'constructor', 'toString'])(
    'a parameter %j is unknown',
    (name) => {
      const query = Object.fromEntries([[name, 'true']])
      expect(() => parsePageRequest(numbers, query)).toThrow(expect.objectContaining({ code: 'unknown_parameter' }))
    },
  )

  it('the schema of a request is built once for a route', () => {
    let built = 0
    const route = {
      ...numbers,
      get filters() {
        built++
        return numbers.filters
      },
    } satisfies ListRoute
    for (const limit of ['1', '2', '3']) parsePageRequest(route, { limit, even: 'true' })
    expect(built).toBe(1)
  })
})
