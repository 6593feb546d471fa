import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { folderStore } from '../src/objects/folder.ts'
import { readManifests } from '../src/read-manifests.ts'
import { failingThird, openBucket as open, startBucket } from './failing-bucket.ts'
import { anyTrades, DATE, fillWorld, NETWORK, openWorld, writeDay1 } from './lake-world.ts'

const SECRET = 'the-secret-of-the-bucket'
it('a bucket and a folder do the same', async () => {
  const folder = temporaryFolder()
  const stores = [folderStore(folder, folder), open(await startBucket())]
  for (const objects of stores) {
    const keys = async (prefix: string) => (await objects.list(prefix)).map(({ key }) => key).sort()
    const path = join(temporaryFolder(), 'file')
    expect(await objects.list('a/')).toEqual([])
    expect(await objects.getText('a/none')).toBeNull()
    await objects.delete('a/none')
    writeFileSync(path, 'first')
    if (objects === stores[0]) await objects.putText('a/b=1/one', 'first')
    else await objects.putFile('a/b=1/one', path)
    await objects.putText('a/b=1/two', 'second')
    await objects.putText('a/b=2/three', 'third')
    await objects.putText('a/b=1/two', 'replaced')
    expect((await objects.list('a/b=1/')).sort((a, b) => a.bytes - b.bytes)).toEqual([
      { key: 'a/b=1/one', bytes: 5 },
      { key: 'a/b=1/two', bytes: 8 },
    ])
    expect(await keys('a/')).toEqual(['a/b=1/one', 'a/b=1/two', 'a/b=2/three'])
    await objects.putText('a/large', 'x'.repeat(1_000_001))
    expect(await objects.getText('a/large')).toBeNull()
    expect(await objects.getText('a/b=1/one')).toBe('first')
    expect(await objects.getText('a/b=1/two')).toBe('replaced')
    await objects.delete('a/b=1/one')
    expect(await keys('a/b=1/')).toEqual(['a/b=1/two'])
  }
})

it('a day is written to a bucket that fails every third request', async () => {
  const server = await startBucket()
  const { port, failed } = await failingThird(server)
  const world = await openWorld()
  const [trades = []] = fc.sample(anyTrades, { numRuns: 1, seed: 3 })
  await fillWorld(world, trades)
  const objects = open(port)
  for (const version of [1, 2]) expect((await writeDay1({ ...world, objects }))?.version).toBe(version)
  expect(failed()).toBeGreaterThan(5)
  const [manifest, ...others] = await readManifests(open(server), NETWORK)
  expect(others).toEqual([])
  for (const { file, bytes } of Object.values(manifest?.tables ?? {})) {
    const found = await open(server).list(`${file.split('/').slice(0, -1).join('/')}/`)
    expect(found).toEqual([{ key: file, bytes }])
  }
  expect(manifest?.date).toBe(DATE)
})

it('an error names neither the secret nor the request', async () => {
  const bucket = open(await startBucket(), { accessKeyId: 'UNKNOWN', secretAccessKey: SECRET })
  const error = await bucket.putText('a', 'text').catch((error: unknown) => error)
  expect(String(error)).toMatch(/^Error: the bucket failed to write a: /)
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET)
  expect(error).not.toHaveProperty('cause')
})
