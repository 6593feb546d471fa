import type { Request } from 'express'
import { expect, test } from 'vitest'
import { isKnown } from './cached-response.ts'

// A proxy that compresses a response makes its tag weak.
test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b" , W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['W/"b"', false],
  ['a', false],
])('a client that names %s has the response of "a": %s', (given, known) => {
  expect(isKnown({ headers: { 'if-none-match': given } } as Request, '"a"')).toBe(known)
})
