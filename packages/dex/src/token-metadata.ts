import { type ContractCall, contractCall } from './abi/contract-abi.ts'
import { hasWords, uintWord, WORD } from './abi/words.ts'
import type { Address, Hex } from './chain.ts'
import type { Token } from './pool.ts'

/** Read as bytes, because text may not be valid UTF-8. */
const SYMBOL = contractCall<[Hex]>('function symbol() view returns (bytes)')
const NAME = contractCall<[Hex]>('function name() view returns (bytes)')
/** Read as a whole word, so that 256 + 6 is not read as 6. */
const DECIMALS = contractCall<[bigint]>('function decimals() view returns (uint256)')

const SUPPLY = contractCall<[bigint]>('function totalSupply() view returns (uint256)')
export const SUPPLY_CALL = SUPPLY.data()

/** Returns a token's supply in base units, or null if its contract reverts or returns anything but a number. */
export function readSupply(reply: Hex | null): bigint | null {
  return SUPPLY.read(reply)?.[0] ?? null
}

/** `readToken` expects their results in this order. */
export const TOKEN_CALLS = [SYMBOL, NAME, DECIMALS].map((call) => call.data())

const MAX_DECIMALS = 77n
const MAX_CHARACTERS = 255
/** Longer text is cut off. */
const MAX_BYTES = 4_096
/**
 * For a result that is a single string: its offset, the number of digits before its content, and how much of it is
 * read.
 */
const STRING_OFFSET = 32n
const HEAD_LENGTH = 2 + 2 * WORD
const MAX_REPLY_LENGTH = HEAD_LENGTH + 2 * MAX_BYTES

/**
 * Returns a token from what its contract reports. Text may be a `string` or a NUL-padded `bytes32` (like MKR's);
 * anything else reads as empty. Missing or absurd decimals read as null.
 */
export function readToken(address: Address, replies: readonly (Hex | null)[]): Token {
  const [symbol = null, name = null, decimals = null] = replies
  const [value] = DECIMALS.read(decimals) ?? []
  return {
    address,
    symbol: readText(SYMBOL, symbol),
    name: readText(NAME, name),
    decimals: value !== undefined && value <= MAX_DECIMALS ? Number(value) : null,
  }
}

function readText(call: ContractCall<[Hex]>, whole: Hex | null): string {
  const reply = (whole ?? '0x').slice(0, MAX_REPLY_LENGTH) as Hex
  const [text] = call.read(reply) ?? []
  return cleanText(text === undefined ? otherText(reply) : bytesOf(text))
}

/** Reads a `bytes32`, or the available part of a string whose length is false. */
function otherText(reply: Hex): Buffer {
  if (hasWords(reply, 1)) return untilNul(bytesOf(reply))
  const isString = reply.length > HEAD_LENGTH && uintWord(reply, 0) === STRING_OFFSET
  return isString ? bytesOf(`0x${reply.slice(HEAD_LENGTH)}`) : Buffer.alloc(0)
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/**
 * Control, bidirectional, zero-width and other format characters, lone surrogates, unassigned characters, and letters
 * without a glyph (Hangul fillers, variation selectors, the empty Braille pattern).
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufffd]/gu

function cleanText(bytes: Buffer): string {
  const text = bytes.toString('utf8').replace(UNSAFE, '').trim()
  return [...text].slice(0, MAX_CHARACTERS).join('').trim()
}
