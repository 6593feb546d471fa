import { createHash } from 'node:crypto'
import type { Address, Hex } from '@dexfeed/dex'

/** A number, an address or a hash as one 32-byte word without prefix; negative numbers in two's complement. */
export function word(value: bigint | number | Hex): string {
  if (typeof value === 'string') return value.slice(2).padStart(64, '0')
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
}

export function words(...values: readonly (bigint | number | Hex)[]): Hex {
  return `0x${values.map(word).join('')}`
}

export function quantity(number: bigint | number): Hex {
  return `0x${number.toString(16)}`
}

/** 32 bytes that depend on all the parts. */
export function digest(...parts: readonly (string | number)[]): Hex {
  return `0x${createHash('sha256').update(parts.join('/')).digest('hex')}`
}

export function addressOf(...parts: readonly (string | number)[]): Address {
  return `0x${digest(...parts).slice(26)}`
}

/** A sole `string` result of a contract. */
export function textResult(text: string): Hex {
  const bytes = Buffer.from(text)
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  return `0x${word(32)}${word(bytes.length)}${padded}`
}
