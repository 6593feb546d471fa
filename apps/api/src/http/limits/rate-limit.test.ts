import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RateLimit } from './rate-limit.ts'

const LIMIT = 100

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A request of a client as the limit reads it, and how many requests its response reports as left. */
function requestOf(remoteAddress: string, url = '/v1/batch') {
  const headers = new Map<string, string>()
  const request = { url, path: url, headers: {}, socket: { remoteAddress } } as unknown as Request
  const response = { setHeader: (name: string, value: string) => headers.set(name, value) } as unknown as Response
  return { request, response, left: () => Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]) }
}

test('of concurrent batches each is charged, and refused once the client has no reads left', () => {
  const limit = new RateLimit(LIMIT)
  const [first, second, third] = [requestOf('a'), requestOf('a'), requestOf('a')]
  // All are let in before the body of any has come.
  for (const { request, response } of [first, second, third]) limit.guard(request, response)
  limit.charge(first.request, first.response, 49)
  expect(first.left()).toBe(LIMIT - 3 - 49)
  // Taken as a whole, though it is more than what is left.
  limit.charge(second.request, second.response, 49)
  expect(second.left()).toBe(0)
  expect(() => limit.charge(third.request, third.response, 1)).toThrow(
    expect.objectContaining({ status: 429, headers: { 'Retry-After': '1' } }),
  )
  // A refused batch costs nothing; other clients and the next second are unaffected.
  const other = requestOf('b')
  limit.guard(other.request, other.response)
  limit.charge(other.request, other.response, 49)
  expect(other.left()).toBe(LIMIT - 50)
  vi.advanceTimersByTime(1_001)
  limit.guard(third.request, third.response)
  limit.charge(third.request, third.response, 1)
  expect(third.left()).toBe(LIMIT - 2)
})

test('a client that has charged its whole limit is refused, except for health checks', () => {
  const limit = new RateLimit(LIMIT)
  const { request, response } = requestOf('a')
  limit.guard(request, response)
  limit.charge(request, response, LIMIT)
  expect(() => limit.guard(request, response)).toThrow('too many requests')
  const health = requestOf('a', '/livez')
  expect(() => limit.guard(health.request, health.response)).not.toThrow()
})
