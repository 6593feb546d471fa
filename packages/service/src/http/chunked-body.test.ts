import { expect, test } from 'vitest'
import { ChunkedBody } from './chunked-body.ts'

const BODY = 'Wikipedia in\r\n\r\nchunks'
const CHUNKED = '4\r\nWiki\r\n5;a="b"\r\npedia\r\nD \r\n in\r\n\r\nchunks\r\n000\r\nTrailer: x\r\n\r\n'
const AFTER = 'GET / HTTP/1.1'

function take(...pieces: string[]) {
  const chunked = new ChunkedBody()
  let read: { body: Buffer; rest: Buffer } | null = null
  for (const piece of pieces) read = chunked.take(Buffer.from(piece))
  return read && [String(read.body), String(read.rest)]
}

test('a body is the same, however its bytes arrive', () => {
  expect(take(CHUNKED + AFTER)).toEqual([BODY, AFTER])
  expect(take(...CHUNKED)).toEqual([BODY, ''])
  for (let at = 1; at < CHUNKED.length; at++) {
    expect(take(CHUNKED.slice(0, at))).toBeNull()
    expect(take(CHUNKED.slice(0, at), CHUNKED.slice(at) + AFTER)).toEqual([BODY, AFTER])
  }
  expect(take('0\r\n\r\n')).toEqual(['', ''])
})

test('as many chunks, and as many bytes, as any request needs', () => {
  expect(take(`${'1\r\nx\r\n'.repeat(512)}0\r\n\r\n`)).toEqual(['x'.repeat(512), ''])
  expect(take(`40000\r\n${'x'.repeat(262_144)}\r\n0\r\n\r\n`)).toEqual(['x'.repeat(262_144), ''])
})

test.each([
  ['more chunks', `${'1\r\nx\r\n'.repeat(513)}`, 413],
  ['as many trailers', `0\r\n${'x: y\r\n'.repeat(513)}`, 413],
  ['more bytes', '40001\r\n', 413],
  ['more bytes in several chunks', `20000\r\n${'x'.repeat(0x20000)}\r\n20001\r\n`, 413],
  ['no size', '\r\n', 400],
  ['another size', 'x\r\n', 400],
  ['a sign', '+1\r\nx\r\n', 400],
  ['a prefix', '0x1\r\nx\r\n', 400],
  ['a huge size', 'fffffff\r\n', 400],
  ['a longer chunk than its size', '1\r\nxy\r\n', 400],
  ['a bare line feed', '1\nx\n0\n\n'.padEnd(300), 400],
  ['an endless line', `1;${'x'.repeat(300)}`, 400],
])('%s are refused', (_, text, status) => {
  expect(() => take(text)).toThrow(expect.objectContaining({ status }))
})
