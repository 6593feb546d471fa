import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { dateOfDay, type NetworkName } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { LakeStore } from '@dexfeed/store'
import { openDuck } from './duck.ts'
import { type DayKey, fileKey, filesOf, type Manifest, manifestKey, parseFileKey, parseManifest } from './manifest.ts'
import type { ObjectStore } from './objects/object-store.ts'
import { sha256Of } from './sha256.ts'
import { SCHEMA_VERSION, TABLE_NAMES } from './tables.ts'
import { copyRows, deriveFiles, type WrittenDay } from './write-files.ts'

export interface DayWriter {
  store: Pick<LakeStore, 'beginDay' | 'rowsOfDay' | 'lakeDays' | 'confirmDay'>
  log: Pick<Logger, 'warn'>
  objects: ObjectStore
  /** An empty folder, or the name of one. */
  work: string
  codeVersion: string
  /** Throws if another program may be writing, too. */
  assertAlone(): void
}

/**
 * Writes a day (since 1970, UTC) under a new version: its files, then the manifest that names them. Returns null if the
 * day is not complete, or has changed meanwhile; it is due again then.
 */
export async function writeDay(
  writer: DayWriter,
  { network, day }: { network: NetworkName; day: number },
  signal: AbortSignal,
): Promise<Manifest | null> {
  const { store, objects, work } = writer
  const key = { network, date: dateOfDay(day) }
  const newest = parseManifest((await objects.getText(manifestKey(key))) ?? '', key)
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  try {
    const version = await store.beginDay(network, day, newest?.version)
    const written = await writeLocally(writer, { network, day }, signal)
    if (written === null) return null
    const manifest = await describe(key, version, written, writer.codeVersion)
    for (const table of TABLE_NAMES) {
      signal.throwIfAborted()
      await objects.putFile(manifest.tables[table].file, written.files[table].path)
    }
    writer.assertAlone()
    // The lock can be lost without notice.
    const stored = (await store.lakeDays(network)).find((found) => found.day === day)
    if (stored?.version !== version) throw new Error('another program writes the day')
    await objects.putText(manifestKey(key), `${JSON.stringify(manifest, null, 2)}\n`)
    const isConfirmed = await store.confirmDay(network, day, version)
    await deleteOlder(objects, key, version).catch((error: unknown) =>
      writer.log.warn({ ...key, err: error }, 'older files of a day could not be deleted, trying again later'),
    )
    return isConfirmed ? manifest : null
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function writeLocally(
  { store, work }: DayWriter,
  { network, day }: { network: NetworkName; day: number },
  signal: AbortSignal,
): Promise<WrittenDay | null> {
  const duck = await openDuck(work, signal)
  try {
    const isComplete = await store.rowsOfDay(network, day, signal, async (rows) => {
      await copyRows({ rows, duck, folder: work })
      return true
    })
    return isComplete === null ? null : await deriveFiles(duck, work)
  } finally {
    duck.close()
  }
}

async function describe(
  key: DayKey,
  version: number,
  { files, blocks }: WrittenDay,
  codeVersion: string,
): Promise<Manifest> {
  const tables = {} as Manifest['tables']
  for (const table of TABLE_NAMES) {
    const { path, rows, sums } = files[table]
    const { size: bytes } = await stat(path)
    tables[table] = {
      file: fileKey(table, key, version),
      rows,
      bytes,
      sha256: await sha256Of(createReadStream(path)),
      sums,
    }
  }
  return {
    schema_version: SCHEMA_VERSION,
    code_version: codeVersion,
    ...key,
    version,
    first_block: blocks?.first ?? null,
    last_block: blocks?.last ?? null,
    written_at: new Date().toISOString(),
    tables,
  }
}

/** Readers use the files that the manifest names. A query that has begun on older ones fails. */
async function deleteOlder(objects: ObjectStore, key: DayKey, version: number): Promise<void> {
  for (const table of TABLE_NAMES) {
    for (const found of await objects.list(filesOf(table, key))) {
      const file = parseFileKey(found.key)
      if (file !== null && file.date === key.date && file.version < version) await objects.delete(found.key)
    }
  }
}
