import { createHash } from 'node:crypto'
import { createRandom, type Random } from '@dexfeed/devnet'
import type { Address, Hex } from '@dexfeed/dex'

type Parts = readonly (string | number)[]

export function digest(...parts: Parts): Hex {
  return `0x${createHash('sha256').update(parts.join('/')).digest('hex')}`
}

export function addressOf(...parts: Parts): Address {
  return `0x${digest(...parts).slice(26)}`
}

export function randomOf(...parts: Parts): Random {
  return createRandom(Number.parseInt(digest(...parts).slice(2, 10), 16))
}
