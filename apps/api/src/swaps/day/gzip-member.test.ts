import { crc32, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { combineCrc, crcShift, deflatePiece, GZIP_HEADER, gzipTrailer } from './gzip-member.ts'

const pieces = fc.array(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(70_000))), {
  maxLength: 8,
})

const sumsOf = (piece: Buffer) => ({ crc: crc32(piece), shift: crcShift(piece.length) })

it('joins pieces of any lengths into one gzip member', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (arrays) => {
      const buffers = arrays.map((array) => Buffer.from(array))
      const whole = Buffer.concat(buffers)
      const crc = buffers.reduce((sum, piece) => combineCrc(sum, sumsOf(piece)), 0)
      expect(crc).toBe(crc32(whole))
      const deflated = await Promise.all(buffers.map(deflatePiece))
      const member = Buffer.concat([GZIP_HEADER, ...deflated, gzipTrailer(crc, whole.length)])
      // Also checks both sums of the trailer, and that nothing follows.
      expect(gunzipSync(member).equals(whole)).toBe(true)
    }),
    { numRuns: 60 * inject('scale') },
  )
})

it('combines lengths beyond 32 bits, too', () => {
  const append = (first: number, crc: number, length: number) => combineCrc(first, { crc, shift: crcShift(length) })
  // The checksum of zeros, in one step and by halves.
  const zeros = (length: number): number => {
    if (length === 1) return crc32(Buffer.alloc(1))
    const half = zeros(Math.floor(length / 2))
    const even = append(half, half, Math.floor(length / 2))
    return length % 2 === 0 ? even : append(even, zeros(1), 1)
  }
  const length = 2 ** 33 + 12_345
  const letter = crc32(Buffer.from('a'))
  const tail = append(zeros(1000), letter, 1)
  expect(append(zeros(length), letter, 1)).toBe(append(zeros(length - 1000), tail, 1001))
  expect(gzipTrailer(0, length).readUInt32LE(6)).toBe(12_345)
})
