import { createHash } from 'node:crypto'
import type { Address, Hex } from '@dexfeed/dex'

export function digest(...parts: readonly (string | number)[]): Hex {
  return `0x${createHash('sha256').update(parts.join('/')).digest('hex')}`
}

export function addressOf(...parts: readonly (string | number)[]): Address {
  return `0x${digest(...parts).slice(26)}`
}
