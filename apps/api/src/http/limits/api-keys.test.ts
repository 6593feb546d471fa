import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RateLimit } from './rate-limit.ts'

const SECRET = 'a-secret-of-the-dashboard'
const KEYS = [
  { name: 'dashboard', secret: SECRET, perSecond: 5 },
  { name: 'own', secret: 'another-secret-of-ours', perSecond: 0 },
]

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Sends requests from an address. Returns the status of each, and the last `RateLimit` header. */
function sender(limit: RateLimit) {
  const { guard } = limit
  return (count: number, remoteAddress: string, headers: Record<string, string> = {}) => {
    const statuses = new Set<number>()
    let left: string | undefined
    for (let at = 0; at < count; at++) {
      const request = { url: '/v1/swaps', path: '/v1/swaps', headers, socket: { remoteAddress } } as unknown as Request
      const setHeader = (name: string, value: string) => {
        if (name === 'RateLimit') left = value
      }
      try {
        guard(request, { setHeader } as unknown as Response)
        statuses.add(200)
      } catch (error) {
        statuses.add((error as { status: number }).status)
      }
    }
    return { statuses: [...statuses], left }
  }
}

test('a key has its own limit, from all addresses together, and leaves that of its address alone', () => {
  const send = sender(new RateLimit(2, KEYS))
  expect(send(3, 'a', { authorization: `Bearer ${SECRET}` })).toEqual({
    statuses: [200],
    left: '"5-in-1sec"; r=2; t=1',
  })
  expect(send(2, 'b', { 'x-api-key': SECRET })).toEqual({ statuses: [200], left: '"5-in-1sec"; r=0; t=1' })
  expect(send(1, 'c', { authorization: `bearer  ${SECRET}` }).statuses).toEqual([429])
  expect(send(2, 'a')).toEqual({ statuses: [200], left: '"2-in-1sec"; r=0; t=1' })
  vi.advanceTimersByTime(1_001)
  expect(send(5, 'a', { 'x-api-key': SECRET }).statuses).toEqual([200])
})

test('a key without a limit is never refused', () => {
  expect(sender(new RateLimit(1, KEYS))(500, 'a', { 'x-api-key': 'another-secret-of-ours' })).toEqual({
    ...{ statuses: [200], left: undefined },
  })
})

test('an unknown key is 401 and counts for its address, so that secrets cannot be tried fast', () => {
  const send = sender(new RateLimit(2, KEYS))
  expect(send(2, 'a', { 'x-api-key': 'not-a-secret-of-ours' }).statuses).toEqual([401])
  expect(send(1, 'a', { 'x-api-key': 'not-a-secret-of-ours' }).statuses).toEqual([429])
  expect(send(1, 'a').statuses).toEqual([429])
  expect(sender(new RateLimit(0, KEYS))(1, 'a', { authorization: 'Bearer ' }).statuses).toEqual([401])
})

test('without configured keys the headers mean nothing, and another scheme has no key', () => {
  expect(sender(new RateLimit(9))(1, 'a', { 'x-api-key': SECRET }).statuses).toEqual([200])
  expect(sender(new RateLimit(9, KEYS))(1, 'a', { authorization: 'Basic abc' }).statuses).toEqual([200])
})
