import type { Address, Hex } from '@dexfeed/dex'
import { ChainError } from './chain-error.ts'

/** A field of an answer that is missing or not what the Ethereum JSON-RPC specification says. */
export class MalformedAnswer extends ChainError {
  override readonly name = 'MalformedAnswer'

  constructor({ field, value }: { field: string; value: unknown }) {
    super(`unreadable ${field}: ${shown(value)}`, { retryable: true })
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80)
}

const QUANTITY = /^0x[0-9a-f]+$/i
const LOWER_HEX = /^0x[0-9a-f]*$/
const HEX = /^0x[0-9a-f]*$/i
const HASH_LENGTH = 66
const ADDRESS_LENGTH = 42

/** A count or index as a number. Leading zeros and upper case are tolerated, a bare `0x` is not. */
export function readQuantity(value: unknown, field: string): number {
  if (typeof value === 'string' && QUANTITY.test(value)) {
    const number = Number(value)
    if (Number.isSafeInteger(number)) return number
  }
  throw new MalformedAnswer({ field, value })
}

/** An amount in wei. */
export function readAmount(value: unknown, field: string): bigint {
  if (value === '0x0') return 0n
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value)
  throw new MalformedAnswer({ field, value })
}

/** Bytes of any length, in lower case. */
export function readBytes(value: unknown, field: string): Hex {
  if (typeof value === 'string' && value.length % 2 === 0) {
    if (isLowerHex(value)) return value
    if (HEX.test(value)) return value.toLowerCase() as Hex
  }
  throw new MalformedAnswer({ field, value })
}

function isLowerHex(value: string): value is Hex {
  return LOWER_HEX.test(value)
}

/** 32 bytes: a hash or a topic. */
export function readHash(value: unknown, field: string): Hex {
  if (typeof value !== 'string' || value.length !== HASH_LENGTH) throw new MalformedAnswer({ field, value })
  return readBytes(value, field)
}

export function readAddress(value: unknown, field: string): Address {
  if (typeof value !== 'string' || value.length !== ADDRESS_LENGTH) throw new MalformedAnswer({ field, value })
  return readBytes(value, field)
}

export type RpcObject = Readonly<Record<string, unknown>>

export function readObject(value: unknown, field: string): RpcObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RpcObject
  throw new MalformedAnswer({ field, value })
}

export function readArray(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new MalformedAnswer({ field, value })
}

export function toQuantity(number: number): Hex {
  return `0x${number.toString(16)}`
}
