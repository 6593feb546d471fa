import { join } from 'node:path'
import { type LakeSettings, projectRoot } from '@dexfeed/service'
import { bucketStore } from './bucket.ts'
import { folderStore } from './folder.ts'
import type { ObjectStore } from './object-store.ts'

/** Files are written in `work` first. For a bucket, that is in the folder of the other data. */
export function openLake(
  lake: LakeSettings['lake'],
  signal: AbortSignal,
): { objects: ObjectStore; work: string; close(): void } {
  if ('bucket' in lake) {
    const bucket = bucketStore(lake, signal)
    return { objects: bucket, work: join(projectRoot(), '.data', 'lake', '.writing'), close: bucket.close }
  }
  const work = join(lake.folder, '.writing')
  return { objects: folderStore(lake.folder, work), work, close: () => undefined }
}
