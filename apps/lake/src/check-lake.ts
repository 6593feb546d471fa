import { randomUUID } from 'node:crypto'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { filesOf } from './manifest.ts'
import type { ObjectStore } from './objects/object-store.ts'
import { readManifests } from './read-manifests.ts'
import { sha256Of } from './sha256.ts'
import { TABLE_NAMES } from './tables.ts'

/** What some errors of a bucket mean, by the name that the server gives them. */
const MEANINGS: Record<string, string> = {
  RequestTimeTooSkewed: 'the clock of this machine is wrong: set it by NTP',
  AccessDenied: 'the key may not do that: it needs the rights to read, list, write and delete',
  InvalidAccessKeyId: 'LAKE_ACCESS_KEY_ID is unknown to the server',
  SignatureDoesNotMatch: 'LAKE_SECRET_ACCESS_KEY is not that of LAKE_ACCESS_KEY_ID',
  NoSuchBucket: 'create the bucket, or correct LAKE_URL',
}

/**
 * Does with an object of its own what the writer does: writes, reads, lists and deletes it. A server refuses requests
 * of a machine whose clock is wrong. Throws an Error that says what to do.
 */
export async function checkLake(objects: ObjectStore): Promise<void> {
  const key = `checks/${randomUUID()}`
  try {
    await objects.putText(key, key)
    if ((await objects.getText(key)) !== key) throw new Error(`${key} has been written, but is not there`)
    if (!(await objects.list('checks/')).some((found) => found.key === key))
      throw new Error(`${key} has been written, but is not listed`)
    await objects.delete(key)
    if ((await objects.getText(key)) !== null) throw new Error(`${key} has been deleted, but is still there`)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const [, meaning] = Object.entries(MEANINGS).find(([name]) => message.includes(name)) ?? []
    throw meaning === undefined ? error : new Error(meaning, { cause: error })
  }
}

/** Reads all files. Returns those that are gone, or differ from their manifest. @throws if one cannot be read */
export async function damagedFiles(
  objects: Pick<ObjectStore, 'list' | 'getText' | 'read'>,
  signal: AbortSignal,
): Promise<string[]> {
  const damaged: string[] = []
  for (const network of NETWORK_NAMES) {
    for (const { tables, ...day } of await readManifests(objects, network)) {
      for (const table of TABLE_NAMES) {
        const { file, sha256 } = tables[table]
        const isThere = (await objects.list(filesOf(table, day))).some(({ key }) => key === file)
        signal.throwIfAborted()
        if (!isThere || (await sha256Of(await objects.read(file))) !== sha256) damaged.push(file)
      }
    }
  }
  return damaged
}
