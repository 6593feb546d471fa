import { addressWord, uintWord, WORD } from './abi-words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from './chain/hex.ts'

const BYTES_PER_WORD = 32n

/** The address[] to which word `head` of an answer points; null when nothing of that shape is there. */
export function dynamicAddresses(data: Hex, head: number): Address[] | null {
  const words = wordCount(data)
  const start = words === null || head >= words ? null : wordIndex(uintWord(data, head), words)
  if (words === null || start === null) return null
  const length = uintWord(data, start)
  if (length > BigInt(words - start - 1)) return null
  return addressesAt(data, start + 1, Number(length))
}

/** The addresses of an address[n], up to the first that is zero; null when other things than addresses are there. */
export function fixedAddresses(data: Hex): Address[] | null {
  const words = wordCount(data)
  const addresses = words === null ? null : addressesAt(data, 0, words)
  if (addresses === null) return null
  const end = addresses.indexOf(ZERO_ADDRESS)
  return end < 0 ? addresses : addresses.slice(0, end)
}

function addressesAt(data: Hex, first: number, count: number): Address[] | null {
  const positions = Array.from({ length: count }, (_, index) => first + index)
  return positions.every((position) => uintWord(data, position) >> 160n === 0n)
    ? positions.map((position) => addressWord(data, position))
    : null
}

/** Null when the data is not whole words, or empty. */
function wordCount(data: Hex): number | null {
  const digits = data.length - 2
  return digits > 0 && digits % WORD === 0 ? digits / WORD : null
}

/** Which word an offset in bytes points to; null when none of these. */
function wordIndex(offset: bigint, words: number): number | null {
  const index = offset / BYTES_PER_WORD
  return offset % BYTES_PER_WORD === 0n && index < BigInt(words) ? Number(index) : null
}
