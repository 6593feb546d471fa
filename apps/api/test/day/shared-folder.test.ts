import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DAY_S, MINUTE } from '@dexfeed/dex'
import { createLogger } from '@dexfeed/service'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RenderedBlock } from '../../src/swaps/day/rendered-block.ts'
import { RenderedDay } from '../../src/swaps/day/rendered-day.ts'
import { type Segment, SegmentStore } from '../../src/swaps/day/segment-store.ts'
import { NOON } from '../api-fixture.ts'

const GRACE_OVER = 71 * MINUTE

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dexfeed-lists-'))
})

afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true, force: true })
})

const block: RenderedBlock = {
  ...{ network: 'bsc', number: 7, time: NOON, bytes: Buffer.from(',{"a":1}'), ends: Uint32Array.of(8) },
  ...{ transactions: Uint32Array.of(0), positions: Uint32Array.of(0), marks: Uint8Array.of(0) },
}

async function write(store: SegmentStore, ...names: string[]): Promise<Segment[]> {
  const segments: Segment[] = []
  const writer = store.writer()
  for (const name of names) {
    await writer.add({ name, network: 'bsc', blocks: [block], unknown: [] }, (segment) => void segments.push(segment))
  }
  await writer.finish()
  return segments
}

async function found(store: SegmentStore, name: string): Promise<Segment> {
  const segment = await store.find(name)
  if (segment === null) throw new Error(`missing: ${name}`)
  return segment
}

const graceOver = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + GRACE_OVER })

it('a file of another process stays while either process uses it', async () => {
  const writer = await SegmentStore.open(folder)
  const written = await write(writer, 'a', 'b')
  const reader = await SegmentStore.open(folder)
  const [a, b] = [await found(reader, 'a'), await found(reader, 'b')]
  expect(a.path).toBe(b.path)
  for (const segment of written) writer.retire(segment)
  graceOver()
  await writer.sweep()
  await reader.sweep()
  expect(await readdir(folder)).toEqual([basename(a.path)])
  expect(await reader.blocks(a)).toHaveLength(1)
  expect(await reader.pack([a, b])).toHaveLength(2)
  for (const segment of [a, b]) reader.retire(segment)
  graceOver()
  await reader.sweep()
  expect(await readdir(folder)).not.toContain(basename(a.path))
})

it("a process leaves another's file that it no longer needs", async () => {
  const writer = await SegmentStore.open(folder)
  const [written] = await write(writer, 'a')
  const reader = await SegmentStore.open(folder)
  reader.retire(await found(reader, 'a'))
  graceOver()
  await reader.sweep()
  expect(await readdir(folder)).toEqual([basename(written?.path ?? '')])
})

it('of two files with the same segment the younger is used', async () => {
  const writer = await SegmentStore.open(folder)
  const olds: string[] = []
  // For any order in which the folder lists them.
  for (const name of 'abcdefgh') {
    const [old] = await write(writer, name)
    await write(writer, name)
    if (old === undefined) throw new Error('nothing was written')
    await utimes(old.path, NOON, NOON)
    olds.push(old.path)
  }
  const reader = await SegmentStore.open(folder)
  for (const path of olds) await rm(path)
  for (const name of 'abcdefgh') expect(await reader.find(name)).toMatchObject({ name })
})

it('a missing file is noticed by the process that reads it', async () => {
  const store = await SegmentStore.open(folder)
  const [a, b] = await write(store, 'a', 'b')
  if (a === undefined || b === undefined) throw new Error('nothing was written')
  expect(store.isLost(a)).toBe(false)
  await rm(a.path)
  await expect(store.pack([a])).rejects.toThrow('ENOENT')
  expect(store.isLost(a)).toBe(true)
  expect(await store.find('b')).toBe(null)
  const [c] = await write(store, 'c')
  if (c === undefined) throw new Error('nothing was written')
  await rm(c.path)
  await expect(store.blocks(c)).rejects.toThrow('ENOENT')
  expect(store.isLost(c)).toBe(true)
})

it('unused files are deleted even if nothing can be rendered', async () => {
  const draft = join(folder, '.draft')
  await writeFile(draft, '')
  await utimes(draft, 0, 0)
  const fail = () => Promise.reject(new Error('no space left on device'))
  const reader = { listStamps: () => Promise.resolve({ networks: [], hasNewTokens: true }), listSnapshot: fail }
  const day = new RenderedDay({
    ...{ reader, store: await SegmentStore.open(folder), changes: { subscribe: () => () => undefined } },
    ...{ log: createLogger({ name: 'test', level: 'silent' }), now: () => NOON, lengthS: DAY_S },
  })
  await day.firstRound
  await day.stop()
  expect(await readdir(folder)).toEqual([])
})
