import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { expect, it, onTestFinished, vi } from 'vitest'
import { PATIENCE } from './list-readers.ts'
import { ChunkLength, sendList } from './send-list.ts'

it('gives long chunks to a reader while it is fast', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const chunk = new ChunkLength()
  const take = (times: number, ms: number) => {
    for (let n = 0; n < times; n++) {
      vi.advanceTimersByTime(ms)
      chunk.took(32_768)
    }
    return chunk.current
  }
  expect(chunk.current).toBe(32_768)
  // 8 MB, 300 KB, and 5 MB a second.
  expect(take(31, 4)).toBe(32_768)
  expect(take(1, 4)).toBe(131_072)
  expect(take(2, 110)).toBe(131_072)
  expect(take(1, 110)).toBe(32_768)
  expect(take(32, 6)).toBe(131_072)
})

const ofLength = (current: number) => ({ current, took: () => {} })

it('writes ranges and bytes in chunks, one at a time, and leaves a chunk as it is until it is taken', async () => {
  const path = join(temporaryFolder(), 'rows')
  writeFileSync(path, '..0123456789...')
  const file = await open(path)
  closeAfter(() => file.close())
  const written: string[] = []
  let writing = 0
  const response = {
    write(bytes: Buffer, done: () => void) {
      expect(++writing).toBe(1)
      setTimeout(() => {
        written.push(String(bytes))
        writing--
        done()
      }, 5)
    },
  } as unknown as ServerResponse
  let taken = 0
  const options = {
    patience: PATIENCE,
    signal: new AbortController().signal,
    chunk: ofLength(4),
    turn: () => Promise.resolve(),
    onTaken(bytes: number) {
      taken += bytes
    },
  }
  const parts = [() => Buffer.from('['), { file, start: 2, length: 10 }, async () => Buffer.from(']')]
  await sendList(response, parts, options)
  expect(written).toEqual(['[012', '3456', '789]'])
  expect(taken).toBe(12)
})

it('writes a short chunk first', async () => {
  const written: Buffer[] = []
  const response = {
    write(bytes: Buffer, done: () => void) {
      written.push(Buffer.from(bytes))
      done()
    },
  } as unknown as ServerResponse
  const list = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251))
  const signal = new AbortController().signal
  const options = {
    patience: PATIENCE,
    signal,
    chunk: ofLength(50_000),
    turn: () => Promise.resolve(),
    onTaken: () => {},
  }
  await sendList(response, [() => list], options)
  expect(written.map(({ length }) => length)).toEqual([16_384, 50_000, 33_616])
  expect(Buffer.concat(written).equals(list)).toBe(true)
})

it('fails if a file is shorter than it was', async () => {
  const path = join(temporaryFolder(), 'rows')
  writeFileSync(path, '0123')
  const file = await open(path)
  closeAfter(() => file.close())
  const signal = new AbortController().signal
  const options = { patience: PATIENCE, signal, chunk: ofLength(4), turn: () => Promise.resolve(), onTaken: () => {} }
  const response = { write: (_: Buffer, done: () => void) => done() } as unknown as ServerResponse
  await expect(sendList(response, [{ file, start: 2, length: 3 }], options)).rejects.toThrow('shorter than it was')
})
