import type { PoolAddress } from '@dexfeed/dex'

const known = new Map<PoolAddress, string>()
/** Keys that are kept: making one takes a microsecond. */
const MOST_KNOWN = 50_000

/** The last eight bytes of what a pool is known by, as Postgres' bigint. */
export function poolKey(pool: PoolAddress): string {
  const found = known.get(pool)
  if (found !== undefined) return found
  const key = String(BigInt.asIntN(64, BigInt(`0x${pool.slice(-16)}`)))
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(pool, key)
  return key
}
