import type { Address, Hex } from '@dexfeed/dex'
import { ChainError } from '../errors/chain-error.ts'
import { ObjectTexts } from './cut-lists.ts'

export class MalformedResponse extends ChainError {
  override readonly name = 'MalformedResponse'

  constructor({ field, value }: { field: string; value: unknown }) {
    super(`unreadable ${field}: ${shown(value)}`, { retryable: true })
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80)
}

const QUANTITY = /^0x[0-9a-f]+$/i
const HEX = /^0x[0-9a-f]*$/i
export const HASH_LENGTH = 66
export const ADDRESS_LENGTH = 42

/** Reads a quantity. Accepts leading zeros and upper case, but not a bare `0x`. */
export function readQuantity(value: unknown, field: string): number {
  if (typeof value === 'string') {
    const number = value.length <= MAX_SMALL_DIGITS + 2 ? smallQuantity(value) : Number.NaN
    if (number >= 0) return number
    if (QUANTITY.test(value) && Number.isSafeInteger(Number(value))) return Number(value)
  }
  throw new MalformedResponse({ field, value })
}

/** Reads a whole number from an archive: a JSON number, or a string of hex or decimal digits. */
export function readWhole(value: unknown, field: string): number {
  const number = typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw new MalformedResponse({ field, value })
}

/** Hex digits that fit into 53 bits. */
const MAX_SMALL_DIGITS = 12

/** The fast path for most quantities. Returns NaN unless all digits are in lower case. */
function smallQuantity(text: string): number {
  if (text.length < 3 || !text.startsWith('0x')) return Number.NaN
  let number = 0
  for (let i = 2; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const digit = code <= 57 ? code - 48 : code - 87
    if (digit < 0 || digit > 15 || (code > 57 && digit < 10)) return Number.NaN
    number = number * 16 + digit
  }
  return number
}

export function readAmount(value: unknown, field: string): bigint {
  if (value === '0x0') return 0n
  if (typeof value === 'string' && value.length <= HASH_LENGTH && QUANTITY.test(value)) return BigInt(value)
  throw new MalformedResponse({ field, value })
}

export function readBytes(value: unknown, field: string): Hex {
  if (typeof value === 'string' && value.length % 2 === 0) {
    if (isLowerHex(value)) return value
    if (HEX.test(value)) return value.toLowerCase() as Hex
  }
  throw new MalformedResponse({ field, value })
}

/** Lookup by character code: a regular expression takes twice as long. */
const LOWER_DIGITS = Uint8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.includes(String.fromCharCode(code)) ? 1 : 0,
)
const ZERO = 48
const LETTER_X = 120

function isLowerHex(value: string): value is Hex {
  if (value.charCodeAt(0) !== ZERO || value.charCodeAt(1) !== LETTER_X) return false
  for (let i = 2; i < value.length; i++) if (LOWER_DIGITS[value.charCodeAt(i)] !== 1) return false
  return true
}

export function readHash(value: unknown, field: string): Hex {
  if (typeof value !== 'string' || value.length !== HASH_LENGTH) throw new MalformedResponse({ field, value })
  return readBytes(value, field)
}

export function readAddress(value: unknown, field: string): Address {
  if (typeof value !== 'string' || value.length !== ADDRESS_LENGTH) throw new MalformedResponse({ field, value })
  return readBytes(value, field)
}

export type RpcObject = Readonly<Record<string, unknown>>

export function readObject(value: unknown, field: string): RpcObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RpcObject
  throw new MalformedResponse({ field, value })
}

export function readText(texts: ObjectTexts, index: number, field: string): RpcObject {
  try {
    return readObject(texts.parseOne(index), field)
  } catch (error) {
    throw error instanceof SyntaxError ? new MalformedResponse({ field, value: 'a text that is not JSON' }) : error
  }
}

export function readArray(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (value instanceof ObjectTexts) {
    try {
      return value.parse()
    } catch {
      throw new MalformedResponse({ field, value: 'a list that is not JSON' })
    }
  }
  throw new MalformedResponse({ field, value })
}

export function toQuantity(number: number): Hex {
  return `0x${number.toString(16)}`
}
