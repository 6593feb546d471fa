import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { Chunks, PATIENCE, sendBody } from './send-body.ts'

const MB = 1_048_576
/** The most readers at a time; each holds two chunks. */
const READERS = 1_024

it('bounds the memory of many readers, and gives few readers long chunks', () => {
  const chunks = new Chunks()
  const taken = Array.from({ length: READERS }, () => chunks.take())
  expect(Math.min(...taken.slice(0, 50))).toBe(MB / 4)
  expect(2 * taken.reduce((sum, length) => sum + length, 0)).toBeLessThan(100 * MB)
  for (const length of taken) chunks.giveBack(length)
  expect(chunks.take()).toBe(MB / 4)
})

it('writes long bytes in chunks, so that a slow reader of a whole list does not count as stalled', async () => {
  const written: string[] = []
  const response = {
    write(bytes: Buffer, done: () => void) {
      written.push(String(bytes))
      done()
    },
  } as unknown as ServerResponse
  const options = {
    patience: PATIENCE,
    signal: new AbortController().signal,
    chunk: 4,
    turn: () => Promise.resolve(),
    onTaken: () => undefined,
  }
  const parts = [{ bytes: () => Buffer.from('0123456789') }, { bytes: () => Buffer.from('ab') }]
  await sendBody(response, parts, options)
  expect(written).toEqual(['0123', '4567', '89', 'ab'])
})
