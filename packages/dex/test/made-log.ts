import type { Address, Hex } from '@dexfeed/dex'

/** Encodes a word of data, without `0x`. */
export function word(value: Address | bigint): string {
  return (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')
}

export function topic(value: Address | bigint): Hex {
  return `0x${word(value)}`
}
