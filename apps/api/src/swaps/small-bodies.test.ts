import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import type { BodyPart } from './list-body.ts'
import { SmallBodies } from './small-bodies.ts'

const path = join(temporaryFolder(), 'rows')
writeFileSync(path, '0123456789')

/** Parts of a list, and how often they were read. */
function madeParts() {
  const read = { times: 0 }
  const count = () => {
    read.times++
    return Buffer.from('[')
  }
  const parts: BodyPart[] = [{ bytes: count }, { path, start: 2, length: 3 }, { bytes: async () => Buffer.from(']') }]
  return { parts, read }
}

async function bytesOf(parts: Iterable<BodyPart>): Promise<string[]> {
  const texts: string[] = []
  for (const part of parts) texts.push('path' in part ? part.path : String(await part.bytes()))
  return texts
}

it('a short list is one part, which is joined once for all clients', async () => {
  const bodies = new SmallBodies()
  const { parts, read } = madeParts()
  const both = [bodies.partsOf('a', 5, parts), bodies.partsOf('a', 5, parts)].map(bytesOf)
  expect(await Promise.all(both)).toEqual([['[234]'], ['[234]']])
  expect(read.times).toBe(1)
})

it('a list of another name is another one, and few are kept', async () => {
  const bodies = new SmallBodies()
  const { parts, read } = madeParts()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'a']) await bytesOf(bodies.partsOf(name, 5, parts))
  expect(read.times).toBe(6)
})

it('a long list is sent part by part', async () => {
  const { parts } = madeParts()
  expect(new SmallBodies().partsOf('a', 3_000_000, parts)).toBe(parts)
})

it('a failure is not kept', async () => {
  const bodies = new SmallBodies()
  const missing: BodyPart[] = [{ path: `${path}-gone`, start: 0, length: 1 }]
  await expect(bytesOf(bodies.partsOf('a', 5, missing))).rejects.toThrow('ENOENT')
  expect(await bytesOf(bodies.partsOf('a', 5, madeParts().parts))).toEqual(['[234]'])
})
