import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LakeSettings, projectRoot } from '@dexfeed/service'
import { bucketStore } from './bucket.ts'
import { folderStore } from './folder.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * `work` is the folder where this process first writes files, `reading` the one where reads are sorted; for a bucket, both
 * are among the other data. `clearOthers` removes those of processes that have crashed: call it with the writer's lock.
 */
export function openLake(
  lake: LakeSettings['lake'],
  signal: AbortSignal,
): { objects: ObjectStore; work: string; reading: string; clearOthers(): Promise<void>; close(): Promise<void> } {
  const name = randomUUID()
  const all = join('bucket' in lake ? join(projectRoot(), '.data', 'lake') : lake.folder, '.writing')
  const own = join(all, name)
  const work = join(own, 'work')
  const objects = 'bucket' in lake ? bucketStore(lake, signal) : { ...folderStore(lake.folder, work), close() {} }
  return {
    objects,
    work,
    reading: join(own, 'reading'),
    async clearOthers() {
      const found = await readdir(all).catch(() => [])
      for (const other of found) if (other !== name) await rm(join(all, other), { recursive: true, force: true })
    },
    async close() {
      objects.close()
      await rm(own, { recursive: true, force: true })
    },
  }
}
