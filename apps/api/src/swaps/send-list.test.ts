import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { RowFile } from './day/cell-store.ts'
import { ListReader, STREAM_LIMITS } from './list-readers.ts'
import { CHUNK_BYTES, sendList } from './send-list.ts'

const MB = 1_048_576
it('bounds the memory of many readers', () => {
  // Each holds one chunk.
  expect(STREAM_LIMITS.maxOpen * CHUNK_BYTES).toBeLessThan(100 * MB)
})

it('writes one chunk after the other, so that a slow reader of a whole list does not count as stalled', async () => {
  const path = join(temporaryFolder(), 'rows')
  const bytes = Buffer.from(Array.from({ length: 2 * CHUNK_BYTES + 50 }, (_, at) => at % 251))
  writeFileSync(path, bytes)
  const file = new RowFile(await open(path))
  closeAfter(() => file.close())
  const written: Buffer[] = []
  let writing = 0
  const response = {
    write(chunk: Buffer, done: () => void) {
      expect(++writing).toBe(1)
      setImmediate(() => {
        // Only now: until it is taken, a chunk must not change.
        written.push(Buffer.from(chunk))
        writing--
        done()
      })
    },
  } as unknown as ServerResponse
  const reader = new ListReader('a', STREAM_LIMITS, () => {})
  const options = { reader, stallMs: STREAM_LIMITS.stallMs, turn: () => Promise.resolve() }
  const parts = [Promise.resolve(Buffer.from('[')), { file, start: 10, length: bytes.length - 10 }]
  await sendList(response, parts, options)
  expect(written.map(({ length }) => length)).toEqual([1, CHUNK_BYTES, CHUNK_BYTES, 40])
  expect(Buffer.concat(written).equals(Buffer.concat([Buffer.from('['), bytes.subarray(10)]))).toBe(true)
})
