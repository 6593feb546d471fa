import { promisify } from 'node:util'
import { constants, deflateRaw } from 'node:zlib'

// One gzip member (RFC 1952) put together from pieces that were deflated one by one: each ends on a byte, with nothing
// that the next could refer to (a full flush), so that they may follow each other in any order. Many programs read a
// first member and no further.

const deflate = promisify(deflateRaw)

/** Magic, deflate, no flags, no time, no hints, unknown system. */
export const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** A last block of deflate that is empty. */
const LAST_BLOCK = Buffer.from([0x03, 0x00])

/** A list of swaps shrinks to a tenth at the fastest level already. */
const LEVEL = 1

/** A piece of the member's content. */
export async function deflatePiece(bytes: Buffer): Promise<Buffer> {
  return deflate(bytes, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH })
}

/** What stands behind the last piece. */
export function gzipTrailer(crc: number, length: number): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc)
  trailer.writeUInt32LE(length % 2 ** 32, 4)
  return Buffer.concat([LAST_BLOCK, trailer])
}

/** The reversed polynomial of CRC-32. */
const POLYNOMIAL = 0xedb88320

/**
 * The CRC-32 of two pieces in a row from those of each. Appending n bytes multiplies a checksum, as a polynomial over
 * GF(2) with its lowest power in the highest bit, by x^(8n) modulo the CRC's own; the sum of that and the checksum of
 * these bytes is the whole's.
 */
export function combineCrc(first: number, { crc, shift }: Pick<PieceSums, 'crc' | 'shift'>): number {
  return (multiply(shift, first) ^ crc) >>> 0
}

/** What of a piece its place in a member needs. */
export interface PieceSums {
  crc: number
  /** What appending the piece multiplies a checksum by. */
  shift: number
}

/** x^(8n), by squaring. */
export function crcShift(bytes: number): number {
  let power = 0x80000000
  for (let [rest, square] = [bytes, 0x00800000]; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power)
    square = multiply(square, square)
  }
  return power
}

function multiply(a: number, b: number): number {
  let [product, shifted] = [0, b]
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return product >>> 0
}
