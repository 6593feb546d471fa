import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { PoolAddress } from '../../pool.ts'

const ADDRESS_DIGITS = ZERO_ADDRESS.length - 2

export function contractIn(pool: PoolAddress): Address {
  return `0x${pool.slice(ZERO_ADDRESS.length, ZERO_ADDRESS.length + ADDRESS_DIGITS)}`
}
