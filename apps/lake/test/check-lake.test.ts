import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { checkLake, damagedFiles } from '../src/check-lake.ts'
import { fileKey, manifestKey } from '../src/manifest.ts'
import { folderStore } from '../src/objects/folder.ts'
import type { ObjectStore } from '../src/objects/object-store.ts'
import { TABLE_NAMES } from '../src/tables.ts'

function open() {
  const root = temporaryFolder()
  return { root, objects: folderStore(root, join(root, '.writing')) }
}

it('leaves nothing in a lake that can be used', async () => {
  const { root, objects } = open()
  await checkLake(objects)
  expect(await readdir(join(root, 'checks'))).toEqual([])
})

it.each<[string, Partial<ObjectStore>, RegExp]>([
  ['cannot be written', { putText: () => Promise.reject(new Error('AccessDenied no')) }, /^the key may not do that/],
  ['loses objects', { getText: async () => null }, /is not there$/],
  ['does not list them', { list: async () => [] }, /is not listed$/],
  ['does not delete them', { delete: async () => undefined }, /is still there$/],
  [
    'has another time',
    { putText: () => Promise.reject(new Error('the bucket failed to write a: RequestTimeTooSkewed The difference')) },
    /^the clock of this machine is wrong: set it by NTP$/,
  ],
])('says what is wrong with a lake that %s', async (_, over, expected) => {
  await expect(checkLake({ ...open().objects, ...over })).rejects.toThrow(expected)
})

it('names the files that are missing, or differ from their manifests', async () => {
  const { root, objects } = open()
  const day = { network: 'bsc', date: '2026-11-20' } as const
  const tables: Record<string, unknown> = {}
  for (const table of TABLE_NAMES) {
    const file = fileKey(table, day, 1)
    await objects.putText(file, table)
    tables[table] = { file, rows: 0, bytes: 0, sha256: createHash('sha256').update(table).digest('hex'), sums: {} }
  }
  const about = { schema_version: 1, code_version: '1', ...day, version: 1, first_block: null, last_block: null }
  await objects.putText(manifestKey(day), JSON.stringify({ ...about, written_at: '2026-11-21T00:00:00Z', tables }))
  const { signal } = new AbortController()
  expect(await damagedFiles(objects, signal)).toEqual([])
  await rm(join(root, fileKey('hops', day, 1)))
  await writeFile(join(root, fileKey('pools', day, 1)), 'other')
  expect(await damagedFiles(objects, signal)).toEqual([fileKey('hops', day, 1), fileKey('pools', day, 1)])
  const failing = { ...objects, read: () => Promise.reject(new Error('the connection was reset')) }
  await expect(damagedFiles(failing, signal)).rejects.toThrow('reset')
})
