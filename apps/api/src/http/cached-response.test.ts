import { gunzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { inCoding, isKnown, textResponse } from './cached-response.ts'

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

test('a response is compressed once for all clients that accept gzip', async () => {
  const headers = { 'Cache-Control': 'public, max-age=1' }
  const plain = textResponse('swap'.repeat(1_000), headers)
  const response = { vary: () => undefined } as unknown as Response
  const ask = (coding: string, of = plain) =>
    inCoding({ acceptsEncodings: () => coding } as unknown as Request, response, of)
  expect(await ask('identity')).toBe(plain)
  const [first, second] = await Promise.all([ask('gzip'), ask('gzip')])
  expect(second).toBe(first)
  expect(gunzipSync(Buffer.from(first.body)).toString()).toBe(plain.body)
  expect(first).toMatchObject({ headers: { ...headers, 'Content-Encoding': 'gzip' }, length: first.body.length })
  expect(first.etag).not.toBe(plain.etag)
  const short = textResponse('swap', headers)
  expect(await ask('gzip', short)).toBe(short)
})
