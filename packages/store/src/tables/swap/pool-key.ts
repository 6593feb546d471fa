import type { PoolAddress } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'

const cache = new Map<PoolAddress, string>()
/** Computing a key takes a microsecond. */
const MAX_CACHED = 50_000

/** Returns the last eight bytes of the address or id of a pool or token, as a Postgres bigint. */
export function poolKey(pool: PoolAddress): string {
  const found = cache.get(pool)
  if (found !== undefined) return found
  const key = String(BigInt.asIntN(64, BigInt(`0x${pool.slice(-16)}`)))
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(pool, key)
  return key
}

export function keyOf(address: string): Prisma.Sql {
  return Prisma.raw(`('x' || right(encode(${address}, 'hex'), 16))::bit(64)::bigint`)
}
