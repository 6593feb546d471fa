import type { Hex } from '@dexfeed/dex'

/** Digits without `0x`, as decode(…, 'hex') takes them. */
export function digitsOf(hex: Hex): string {
  return hex.slice(2)
}

/** Lower-case hex of encode(…, 'hex'). */
export function hexOf(digits: string): Hex {
  return `0x${digits}`
}

export function bytesToHex(bytes: Uint8Array): Hex {
  return hexOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex'))
}

/** As text that casts to bytea. */
export function byteaText(hex: Hex): string {
  return `\\x${digitsOf(hex)}`
}
