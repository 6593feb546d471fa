import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { openLake } from '../src/objects/open-lake.ts'

it('each process works in its own folder, and clears those of others', async () => {
  const folder = temporaryFolder()
  const { signal } = new AbortController()
  const [one, two] = [openLake({ folder }, signal), openLake({ folder }, signal)]
  for (const path of [one.work, one.reading, two.reading]) mkdirSync(path, { recursive: true })
  await Promise.all([1, 2, 3].map((n) => two.objects.putText('text', String(n))))
  mkdirSync(join(one.work, 'sorting'))
  await two.clearOthers()
  expect([one.work, one.reading, two.reading].map((path) => existsSync(path))).toEqual([false, false, true])
  expect(readdirSync(two.work)).toEqual([])
  await two.close()
  expect(readdirSync(join(folder, '.writing'))).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(['.writing', 'text'])
})
