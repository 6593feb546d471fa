import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { checkLake } from '../src/check-lake.ts'
import { folderStore } from '../src/objects/folder.ts'
import type { ObjectStore } from '../src/objects/object-store.ts'

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
