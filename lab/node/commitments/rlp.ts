/** A value of RLP: bytes, a number without sign, or a list of values. */
export type RlpValue = Uint8Array | number | bigint | readonly RlpValue[]

const TEXT = 0x80
const LIST = 0xc0
/** A payload of at least this length has extra bytes for its length. */
const LONG = 56

/** Encodes a value by Recursive Length Prefix (Ethereum Yellow Paper, appendix B). */
export function rlp(value: RlpValue): Buffer {
  if (value instanceof Uint8Array) return rlpText(value)
  if (typeof value === 'number' || typeof value === 'bigint') return rlpText(bytesOf(value))
  return rlpList((value as readonly RlpValue[]).map(rlp))
}

/** Encodes a list of values that are already encoded. */
export function rlpList(encoded: readonly Uint8Array[]): Buffer {
  const length = encoded.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([head(LIST, length), ...encoded])
}

function rlpText(bytes: Uint8Array): Buffer {
  const [first = TEXT] = bytes
  return bytes.length === 1 && first < TEXT ? Buffer.from(bytes) : Buffer.concat([head(TEXT, bytes.length), bytes])
}

function head(base: number, length: number): Buffer {
  if (length < LONG) return Buffer.from([base + length])
  const bytes = bytesOf(length)
  return Buffer.concat([Buffer.from([base + LONG - 1 + bytes.length]), bytes])
}

/** Returns a number's bytes, big-endian, without leading zeros. */
function bytesOf(value: number | bigint): Buffer {
  const digits = value.toString(16)
  return Buffer.from(digits === '0' ? '' : digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
}
