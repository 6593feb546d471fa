import { hasWords, uintWord, WORD } from './abi-words.ts'
import type { Address, Hex } from './chain/hex.ts'
import type { Token } from './pool.ts'

/** symbol(), name(), decimals(): their replies go to `readToken`, in this order. */
export const TOKEN_CALLS: readonly Hex[] = ['0x95d89b41', '0x06fdde03', '0x313ce567']

/** More than 77 digits do not fit a uint256. */
const MAX_DECIMALS = 77
const MAX_CHARACTERS = 255
/** Text beyond this is not even looked at. */
const MAX_BYTES = 4_096

/**
 * What a token contract says of itself. Text may be a `string` or a NUL-padded `bytes32` (as MKR's); anything else reads
 * as empty. Decimals that are absent or absurd read as null.
 */
export function readToken(address: Address, replies: readonly (Hex | null)[]): Token {
  const [symbol, name, decimals] = replies
  return {
    address,
    symbol: readText(symbol ?? null),
    name: readText(name ?? null),
    decimals: readDecimals(decimals ?? null),
  }
}

function readDecimals(reply: Hex | null): number | null {
  if (reply === null || !hasWords(reply, 1)) return null
  const value = uintWord(reply, 0)
  return value <= BigInt(MAX_DECIMALS) ? Number(value) : null
}

function readText(reply: Hex | null): string {
  if (reply === null) return ''
  const bytes = Buffer.from(reply.slice(2), 'hex')
  return cleanText(hasWords(reply, 1) ? untilNul(bytes) : stringArgument(reply, bytes))
}

/** The bytes of a sole `string` result: offset, length, content. The length may lie; what is there is read. */
function stringArgument(reply: Hex, bytes: Buffer): Buffer {
  if (reply.length < 2 + 2 * WORD) return Buffer.alloc(0)
  const offset = uintWord(reply, 0)
  if (offset > BigInt(bytes.length - 32)) return Buffer.alloc(0)
  const start = Number(offset) + 32
  const length = BigInt(`0x${bytes.subarray(start - 32, start).toString('hex')}`)
  const end = length < BigInt(bytes.length - start) ? start + Number(length) : bytes.length
  return bytes.subarray(start, end)
}

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/** Control, bidirectional, zero-width and other format characters, lone surrogates, and what no font may draw. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\ufffd]/gu

/** Text that is safe to store and to send: no control or direction characters, at most 255 characters. */
export function cleanText(bytes: Buffer): string {
  const text = bytes.subarray(0, MAX_BYTES).toString('utf8').replace(UNSAFE, '').trim()
  return [...text].slice(0, MAX_CHARACTERS).join('').trim()
}
