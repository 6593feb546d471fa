import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import fs, { lstat, mkdir, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { crc32, gunzipSync } from 'node:zlib'
import { DAY_S, MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import { createLogger } from '@dexfeed/service'
import type { ListedNetwork, ListSnapshot, SwapRow } from '@dexfeed/store'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { partsOf } from '../../src/swaps/day/list.ts'
import type { Part } from '../../src/swaps/day/piece.ts'
import { RenderedDay } from '../../src/swaps/day/rendered-day.ts'
import { RowStore, readFully } from '../../src/swaps/day/row-store.ts'
import { NOON } from '../api-fixture.ts'

// A network with a swap in each block: cell 0 is blocks 0 to 31, and so on. A block takes a second.
const CELL = 32
const TOKEN = hexNumber(0xa)

let folder: string
const days: RenderedDay[] = []
let chain: { head: number | null; top: number; final: number | null; versions: Map<number, string>; step: number }
let networks: readonly NetworkName[]
let tokenName = 'a token'
let time = NOON
let looks = 0
let pastReads: number
const log = createLogger({ name: 'test', level: 'silent' })
let rowsRead = 0
let running = 0
let openFiles = 0
/** Changes what opening a file returns. */
let onOpen: (file: fs.FileHandle) => Promise<fs.FileHandle>
const listeners = new Set<() => void>()

beforeEach(() => {
  folder = temporaryFolder()
  chain = { head: 10 * CELL, top: 10 * CELL, final: 10 * CELL, versions: new Map(), step: 1 }
  networks = ['eth']
  pastReads = 0
  tokenName = 'a token'
  time = NOON
  countOpenFiles()
})

afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  for (const day of days.splice(0)) await day.stop()
})

async function open(): Promise<RenderedDay> {
  const day = new RenderedDay({
    reader: { listStamps, listSnapshot },
    store: await RowStore.open(folder),
    now: () => time,
    log,
    freshMs: 0,
    patienceMs: 60_000,
    changes: {
      subscribe(listener) {
        const notify = () => listener({ network: null })
        listeners.add(notify)
        return () => void listeners.delete(notify)
      },
    },
  })
  days.push(day)
  await day.firstRound
  return day
}

/** Lets a day render again, and close what is unused. */
async function nextRound(): Promise<void> {
  const before = looks
  for (const notify of listeners) notify()
  await expect.poll(() => looks).toBeGreaterThan(before)
}

function listed(network: NetworkName): ListedNetwork {
  const { head, final: finalNumber, versions } = chain
  const history = [...versions].join()
  const known = { network, wrappedNative: TOKEN, listVersion: 1, reorgs: 0, finalNumber, history }
  const stamp = `${history} ${head} ${finalNumber}`
  return { ...known, stamp, head: head === null ? null : { number: head } } as unknown as ListedNetwork
}

const listStamps = async () => {
  looks++
  running++
  await setImmediate()
  running--
  return { networks: networks.map(listed), hasNewTokens: false }
}

function listSnapshot<T>(_signal: AbortSignal, work: (snapshot: ListSnapshot) => Promise<T>): Promise<T> {
  const { top, versions, step } = chain
  return work({
    networks: networks.map(listed),
    async cellVersions() {
      pastReads++
      return new Map(versions)
    },
    async window() {
      pastReads++
      return { from: 0, to: top }
    },
    async *rows({ network }, from, to) {
      const rows: SwapRow[] = []
      for (let block = Math.ceil(from / step) * step; block <= Math.min(to, top); block += step)
        rows.push(swapAt(block, network))
      rowsRead += rows.length
      yield rows
      return undefined
    },
    tokens: async () => [{ address: TOKEN, symbol: 'A', name: tokenName, decimals: 18 }],
  })
}

function swapAt(blockNumber: number, network: NetworkName): SwapRow {
  return {
    network,
    blockNumber,
    time: NOON - 60_000 + blockNumber,
    transactionIndex: 0,
    position: 0,
    txHash: hexNumber(blockNumber, 64),
    sellToken: TOKEN,
    sellNative: true,
    sellAmount: '1',
    volumeUsd: null,
    buyToken: TOKEN,
    buyNative: false,
    buyAmount: '2',
    flagged: false,
  }
}

async function bytesOf(parts: readonly Part[]): Promise<Buffer> {
  const pieces = parts.map((part) =>
    typeof part === 'function' ? part() : readFully(part.file, Buffer.alloc(part.length), part.start),
  )
  return Buffer.concat(await Promise.all(pieces))
}

/** Checks that a list has every block. */
async function expectWhole(day: RenderedDay, since = time - DAY_S): Promise<void> {
  const list = await day.list(await day.current(since), { since })
  const bytes = await bytesOf(partsOf(list, 'identity'))
  const numbers = (JSON.parse(bytes.toString()) as { block_number: string }[]).map((row) => Number(row.block_number))
  const { top, step } = chain
  const blocks = Array.from({ length: 1 + Math.floor(top / step) }, (_, at) => at * step)
  expect(numbers).toEqual(blocks.flatMap((block) => networks.map(() => block)))
  expect(gunzipSync(await bytesOf(partsOf(list, 'gzip'))).equals(bytes)).toBe(true)
}

const logs = async () => (await readdir(folder)).filter((name) => name.endsWith('.rows2'))

/** Counts files that logs have open, because the process may open and close others at any time. */
function countOpenFiles(): void {
  const { open } = fs
  openFiles = 0
  onOpen = async (file) => file
  vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
    const file = await open(...args)
    openFiles++
    const { close } = file
    file.close = async () => {
      await close()
      openFiles--
    }
    return onOpen(file)
  })
  syncBuiltinESMExports()
}

/** The class of opened files, which Node does not export. */
async function fileClass(): Promise<fs.FileHandle> {
  const file = await fs.open(join(temporaryFolder(), 'any'), 'w')
  await file.close()
  return Object.getPrototypeOf(file)
}

/** Makes all writes fail from now on, and returns the spy. */
async function fillDisk() {
  const noSpace = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  return vi.spyOn(await fileClass(), 'write').mockRejectedValue(noSpace)
}

const FILES = ['text', 'deflated', 'index'] as const
const FACTS_BYTES = 512
const MAKE_PIPE = 'mkfifo'

const readLog = async (path: string) => Promise.all(FILES.map((name) => readFile(join(path, name))))

async function writeLog(files: readonly Buffer[]): Promise<void> {
  const path = join(folder, `${randomUUID()}.rows2`)
  await mkdir(path)
  for (const [at, bytes] of files.entries()) await writeFile(join(path, FILES[at] ?? ''), bytes)
}

const LENGTHS = [-FACTS_BYTES, -1, 0, 1, 0.5, 2 ** 31, 2 ** 52, 1e300, null, '7', [], {}, Number.NaN]

const change = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'grow', 'swap', 'link', 'pipe', 'folder', 'remove', 'forge'),
  at: fc.nat(5),
  by: fc.nat(100_000),
  value: fc.constantFrom(...LENGTHS),
})

type Change = (paths: readonly string[], at: number, by: number, value: unknown) => Promise<void>

/** Moves a file, unless an earlier change has removed it. */
async function moved(from: string, to: string): Promise<void> {
  if (existsSync(from)) await rename(from, to)
}

/** What others may do to the files of two logs. */
const CHANGES: Readonly<
  Record<'flip' | 'cut' | 'grow' | 'swap' | 'link' | 'pipe' | 'folder' | 'remove' | 'forge', Change>
> = {
  flip: (paths, at, by) =>
    rewrite(paths[at], (bytes) => bytes.map((byte, n) => (n === by % bytes.length ? byte ^ (1 + (by % 255)) : byte))),
  cut: (paths, at, by) => rewrite(paths[at], (bytes) => bytes.subarray(0, by % (bytes.length + 1))),
  grow: (paths, at, by) => rewrite(paths[at], (bytes) => Buffer.concat([bytes, Buffer.alloc(by % 2_000, by)])),
  async swap(paths, at, by) {
    const [path = '', other = ''] = [paths[at], paths[by % paths.length]]
    await moved(path, `${path}.first`)
    await moved(other, path)
    await moved(`${path}.first`, other)
  },
  link: (paths, at, by) =>
    replaced(paths[at], (path) => symlink(['/dev/zero', path, folder, paths[by % 6] ?? ''][by % 4] ?? '', path)),
  pipe: (paths, at) => replaced(paths[at], async (path) => void execFileSync(MAKE_PIPE, [path])),
  folder: (paths, at) => replaced(paths[at], (path) => mkdir(path)),
  remove: (paths, at) => replaced(paths[at], async () => {}),
  /** Gives the facts of a segment a wrong length, with a right checksum. */
  forge: (paths, at, by, value) =>
    rewrite(paths[at - (at % 3) + 2], (bytes) => {
      const facts = factsIn(bytes)
      if (facts === null) return bytes
      if (by % 5 === 0) facts.length = value
      else facts.lengths = facts.lengths.map((length, n) => (n === by % 3 ? value : length))
      const forged = Buffer.alloc(FACTS_BYTES, ' ')
      forged.write(JSON.stringify(facts), 4)
      forged.writeUInt32LE(crc32(forged.subarray(4)))
      return Buffer.concat([forged, bytes.subarray(FACTS_BYTES)])
    }),
}

/** Returns null if an earlier change has left no facts there. */
function factsIn(bytes: Buffer): { length: unknown; lengths: unknown[] } | null {
  try {
    const facts = JSON.parse(bytes.toString('utf8', 4, FACTS_BYTES))
    return Array.isArray(facts?.lengths) ? facts : null
  } catch {
    return null
  }
}

/** Leaves alone what is no longer a file, or too short. */
async function rewrite(path = '', change: (bytes: Buffer) => Uint8Array): Promise<void> {
  const stats = await lstat(path).catch(() => null)
  if (!stats?.isFile() || stats.size < FACTS_BYTES) return
  await writeFile(path, change(await readFile(path)))
}

async function replaced(path = '', make: (path: string) => Promise<unknown>): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await make(path)
}

const GRACE_OVER = 71 * MINUTE

function passTime(ms: number): void {
  const now = performance.now() + ms
  vi.spyOn(performance, 'now').mockReturnValue(now)
}

describe('files of rows', () => {
  it('are used by the next process, and by one that runs at the same time', async () => {
    const one = await open()
    rowsRead = 0
    const other = await open()
    await expectWhole(other)
    await one.stop()
    await expectWhole(await open())
    // Only those of the last cell, which is still open.
    expect(rowsRead).toBe(2)
  })

  it('are not used for cells that have changed since', async () => {
    await (await open()).stop()
    chain.versions.set(3, 'other')
    tokenName = 'other name'
    rowsRead = 0
    const day = await open()
    expect(rowsRead).toBe(CELL + 1)
    const list = await day.list(await day.current(time - DAY_S), { since: time - DAY_S })
    const rows = JSON.parse(String(await bytesOf(partsOf(list, 'identity')))) as SwapRow[]
    const renamed = rows.filter((row) => JSON.stringify(row).includes(tokenName))
    expect(renamed).toHaveLength(CELL + 1)
  })

  it('may be deleted while a process uses them', async () => {
    const first = await open()
    const second = await open()
    for (const log of await logs()) await rm(join(folder, log), { recursive: true })
    await expectWhole(first)
    await expectWhole(second)
    rowsRead = 0
    await expectWhole(await open())
    expect(rowsRead).toBe(chain.top + 1)
  })

  it.each(['text', 'deflated', 'index'])('may be shorter than they were: %s', async (name) => {
    await (await open()).stop()
    const [log = ''] = await logs()
    const path = join(folder, log, name)
    for (let { size } = await fs.stat(path); size > 0; size = Math.floor(0.7 * size)) {
      await truncate(path, size - 1)
      const day = await open()
      await expectWhole(day)
      await day.stop()
      // The next turn finds only the first log.
      for (const other of await logs()) if (other !== log) await rm(join(folder, other), { recursive: true })
    }
  })

  it('may have any content', async () => {
    await (await open()).stop()
    chain.versions.set(3, 'other')
    await (await open()).stop()
    const whole = await Promise.all((await logs()).map(async (log) => readLog(join(folder, log))))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        for (const log of await readdir(folder)) await rm(join(folder, log), { recursive: true })
        for (const files of whole) await writeLog(files)
        const paths = (await logs()).sort().flatMap((log) => FILES.map((name) => join(folder, log, name)))
        for (const { kind, at, by, value } of changes) await CHANGES[kind](paths, at, by, value)
        const day = await open()
        await expectWhole(day)
        await day.stop()
      }),
      { numRuns: 60 * inject('scale') },
    )
  })

  it('of an earlier version, or damaged, are deleted in time, and no others', async () => {
    const others = ['notes.txt', 'notes.rows', 'notes.rows2', `${randomUUID()}.rowset`]
    await writeFile(join(folder, `${randomUUID()}.rows`), 'of version 1')
    await writeFile(join(folder, `.${randomUUID()}.rows`), 'a draft of version 1')
    await mkdir(join(folder, `${randomUUID()}.rows2`))
    for (const name of others) await writeFile(join(folder, name), 'of somebody else')
    const before = await readdir(folder)
    const day = await open()
    await nextRound()
    const [own = ''] = (await readdir(folder)).filter((name) => !before.includes(name))
    expect((await readdir(folder)).sort()).toEqual([...before, own].sort())
    passTime(GRACE_OVER)
    await nextRound()
    // This one begins after the first one has deleted all that it may.
    await nextRound()
    expect((await readdir(folder)).sort()).toEqual([own, ...others].sort())
    await expectWhole(day)
  })

  it('that were last written to more than a day ago are deleted at the start', async () => {
    await (await open()).stop()
    const [log = ''] = await logs()
    const path = join(folder, log)
    const files = (await readdir(path)).map((name) => join(path, name))
    const file = join(folder, `${randomUUID()}.rows`)
    await writeFile(file, 'of version 1')
    const age = async (what: string[]) => {
      for (const each of what) await utimes(each, 0, Date.now() / SECOND - 2 * DAY_S)
    }
    await age([path, file])
    rowsRead = 0
    await (await open()).stop()
    // Only a file of the log is younger.
    expect([rowsRead, await readdir(folder)]).toEqual([1, [log]])
    await age([path, ...files])
    await expectWhole(await open())
    expect(await logs()).not.toContain(log)
  })

  it('are three for many cells, and none for cells that may still change', async () => {
    const day = await open()
    expect(openFiles).toBe(3)
    const write = vi.spyOn(await fileClass(), 'write')
    chain.head = null
    chain.final = null
    chain.versions.set(0, 'other')
    await expectWhole(day)
    await expectWhole(await open())
    expect(write).not.toHaveBeenCalled()
    // Those of the first process, which the second has opened, too.
    expect(openFiles).toBe(6)
  })

  it('are not made by requests', async () => {
    const day = await open()
    for (let second = 0; second < 50; second++) {
      const since = NOON - 60_000 + 5 * second
      const after = { network: 'eth', blockNumber: 3 * second, transactionIndex: 0, position: 0 } as const
      const state = await day.current(since)
      await bytesOf(partsOf(await day.list(state, { since }), 'gzip'))
      await bytesOf(partsOf(await day.list(state, { since, after }), 'identity'))
    }
    expect(openFiles).toBe(3)
  })

  it('are read again for a page only if something has changed', async () => {
    const day = await open()
    const state = await day.current(time - DAY_S)
    expect(await day.current(time - DAY_S)).toBe(state)
    chain.versions.set(0, 'other')
    expect(await day.current(time - DAY_S)).not.toBe(state)
  })

  it('are all closed if one of them cannot be opened', async () => {
    const store = await RowStore.open(folder)
    let calls = 0
    onOpen = async (file) => {
      if (++calls % 3 !== 0) return file
      await file.close()
      throw new Error('too many open files')
    }
    for (let attempt = 0; attempt < 3; attempt++) await expect(store.write([])).rejects.toThrow('too many open files')
    expect(openFiles).toBe(0)
  })

  it('are freed when most of their rows were replaced, also if closing them fails', async () => {
    // Each row has ten megabytes, so that seven fill a log: cells 0 to 6, and 7 to 9.
    tokenName = 'x'.repeat(10_000_000)
    chain.step = CELL
    onOpen = async (file) => {
      const { close } = file
      file.close = async () => {
        await close()
        throw new Error('input/output error')
      }
      return file
    }
    const day = await open()
    expect(openFiles).toBe(6)
    for (const cell of [0, 1, 3, 5]) chain.versions.set(cell, 'other')
    await day.current(time - DAY_S)
    // Now the others of the first log are written again, too.
    chain.versions.set(9, 'other')
    await day.current(time - DAY_S)
    expect(openFiles).toBe(9)
    // The second round begins after the first one noticed what is unused.
    await nextRound()
    await nextRound()
    passTime(GRACE_OVER)
    await nextRound()
    await expect.poll(() => openFiles).toBe(6)
    await nextRound()
    await expectWhole(day)
  })
})

it('versions of cells and the window are read again only with the history, or as the window moves', async () => {
  const day = await open()
  expect(pastReads).toBe(2)
  const next = async () => {
    chain.head = chain.top += 1
    await expectWhole(day)
    return pastReads
  }
  for (let blocks = 0; blocks < 3 * CELL; blocks++) expect(await next()).toBe(2)
  chain.versions.set(3, 'other')
  expect(await next()).toBe(4)
  time += 300
  expect(await next()).toBe(6)
})

describe('a full disk', () => {
  it('leaves the lists right, and is tried again', async () => {
    chain.final = 0
    const day = await open()
    const failing = await fillDisk()
    for (const final of [4 * CELL, 6 * CELL, 8 * CELL]) {
      chain.final = final
      chain.head = chain.top += CELL
      await expectWhole(day)
    }
    // One for each rendering.
    expect(failing).toHaveBeenCalledTimes(3)
    failing.mockRestore()
    const write = vi.spyOn(await fileClass(), 'write')
    chain.final = 9 * CELL
    await expectWhole(day)
    expect(write.mock.calls.length).toBe(3 * 9)
    expect(openFiles).toBe(3)
  })

  it('leaves the lists of several networks right, also at the start', async () => {
    networks = ['eth', 'bsc']
    const first = await open()
    const failing = await fillDisk()
    await first.stop()
    rowsRead = 0
    const day = await open()
    await expectWhole(day)
    // Only those of the last cells, which are still open.
    expect(rowsRead).toBe(2)
    expect(failing).not.toHaveBeenCalled()
    chain.versions.set(3, 'other')
    for (let turn = 1; turn <= 3; turn++) {
      chain.final = chain.head = chain.top += CELL
      await expectWhole(day)
      expect(failing).toHaveBeenCalledTimes(turn)
    }
    failing.mockRestore()
    chain.head = chain.top += 1
    const write = vi.spyOn(await fileClass(), 'write')
    await expectWhole(day)
    // The changed cell and three further ones, of each network and merged.
    expect(write).toHaveBeenCalledTimes(3 * 3 * 4)
  })

  it('does not keep the API from starting, but a folder that cannot be written to does', async () => {
    await (await open()).stop()
    const fails = vi.spyOn(fs, 'writeFile')
    for (const code of ['ENOSPC', 'EACCES']) fails.mockRejectedValueOnce(Object.assign(new Error(code), { code }))
    syncBuiltinESMExports()
    rowsRead = 0
    await expectWhole(await open())
    expect(rowsRead).toBe(1)
    await expect(open()).rejects.toThrow('EACCES')
  })

  it('is not filled further by writes that fail', async () => {
    const store = await RowStore.open(folder)
    closeAfter(() => store.close())
    const row = { network: 'eth', blockNumber: 1, transactionIndex: 0, position: 0, time: NOON, json: '{}' } as const
    const write = () => store.write([{ ...row, unpriced: false, flagged: false }])
    const first = await write()
    const failing = await fillDisk()
    const failed = await Promise.allSettled([write(), write()])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    failing.mockRestore()
    // Whichever is compressed first is written first.
    const others = await Promise.all([write(), write()])
    expect(new Set(others.map(({ text }) => text.start))).toEqual(new Set([first.length, 2 * first.length]))
  })

  it('leaves the list as it was before memory is full', async () => {
    chain.step = CELL
    chain.final = chain.head = chain.top = 127 * CELL
    const failing = await fillDisk()
    const warn = vi.spyOn(log, 'warn')
    const day = await open()
    await expectWhole(day)
    const before = await day.current(time - DAY_S)
    chain.final = chain.head = chain.top = 129 * CELL
    for (let request = 0; request < 3; request++) expect((await day.current(time - DAY_S)).cells).toBe(before.cells)
    expect(warn.mock.calls).toEqual([[expect.anything(), 'the disk takes no more rows of lists (LIST_CACHE_DIR)']])
    failing.mockRestore()
    await expectWhole(day)
  })

  it('is reported as such before the first list', async () => {
    chain.step = CELL
    chain.final = chain.head = chain.top = 129 * CELL
    await fillDisk()
    const day = await open()
    await expect(day.current(time - DAY_S)).rejects.toThrow('the list is being put together')
  })
})

describe('a file that fails', () => {
  const fails = (code: string) => Object.assign(new Error(code), { code })

  it('is not written to again, and what is in it is used', async () => {
    const day = await open()
    const { write } = await fileClass()
    const files: fs.FileHandle[] = []
    // The end of the first log cannot be written. So cannot the beginning of the second.
    vi.spyOn(await fileClass(), 'write').mockImplementation(function (this: fs.FileHandle, ...args) {
      if (!files.includes(this)) files.push(this)
      return files.indexOf(this) < 2 ? Promise.reject(fails('EIO')) : Reflect.apply(write, this, args)
    })
    rowsRead = 0
    for (let turn = 0; turn < 3; turn++) {
      chain.final = chain.head = chain.top += CELL
      await expectWhole(day)
    }
    // Two files of the third log; the second one is gone. No row was rendered twice.
    expect([files.length, openFiles, (await logs()).length]).toEqual([5, 6, 2])
    expect(rowsRead).toBe(3 * CELL)
    await day.stop()
    rowsRead = 0
    await expectWhole(await open())
    expect(rowsRead).toBe(1)
  })

  it.each(['EIO', 'ESTALE'])('when it is read has its rows rendered again: %s', async (code) => {
    networks = ['eth', 'bsc']
    const day = await open()
    const [broken] = (await day.current(time - DAY_S)).cells.get('eth')?.flatMap(({ segment }) => segment ?? []) ?? []
    if (broken === undefined) throw new Error('cells are on disk')
    broken.text.file.read = () => Promise.reject(fails(code))
    await expect(expectWhole(day)).rejects.toThrow('rows cannot be read from disk')
    await expectWhole(day)
    expect((await day.current(time - DAY_S)).cells.get('eth')?.some(({ segment }) => segment?.log === broken.log)).toBe(
      false,
    )
  })
})

it('after a day was stopped nothing is read, and no file is open', async () => {
  const day = await open()
  for (const notify of listeners) notify()
  await day.stop()
  const looksBefore = looks
  expect([running, listeners.size, openFiles]).toEqual([0, 0, 0])
  await setImmediate()
  expect(looks).toBe(looksBefore)
})
