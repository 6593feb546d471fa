import { expect, it } from 'vitest'
import { HashIndex } from './hash-index.ts'

const hashOf = (start: number, end: number) => {
  const hash = Buffer.alloc(32)
  hash.writeUInt32BE(start, 0)
  hash.writeUInt32BE(end, 28)
  return hash
}

it('finds each hash in its place, also where several would have one slot, and none that is not there', () => {
  const hashes = [hashOf(7, 1), hashOf(7, 2), hashOf(8, 3), hashOf(7, 4)]
  const index = new HashIndex(Buffer.concat(hashes), hashes.length)
  for (const place of hashes.keys()) index.add(place)
  expect(hashes.map((hash) => index.find(hash))).toEqual([0, 1, 2, 3])
  expect(index.find(hashOf(7, 5))).toBeNull()
  expect(index.find(hashOf(1, 1))).toBeNull()
  expect(index.find(Buffer.from('07'))).toBeNull()
})
