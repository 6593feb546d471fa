import type { Extent, Reader } from '@dexfeed/store'
import { CachedRead } from './cached-read.ts'
import type { Changes } from './change-feed.ts'

export type CachedExtent = CachedRead<Extent>

export function cachedExtent(reader: { extent: Reader['extent'] }, changes: Changes): CachedExtent {
  const cached = new CachedRead(async () => ({ value: await reader.extent(), until: Number.POSITIVE_INFINITY }))
  changes.subscribe(() => cached.invalidate())
  return cached
}
