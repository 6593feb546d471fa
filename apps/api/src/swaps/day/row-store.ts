import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { HOUR, MINUTE, type NetworkName, present } from '@dexfeed/dex'
import { makeFolder } from '@dexfeed/service'
import { LRUCache } from 'lru-cache'
import { deflatePiece } from './gzip-member.ts'
import { countRows, type ListedRow } from './listed-row.ts'
import { type Piece, type Range, sumsOf, textOf } from './piece.ts'

/** The number changes with the text of rows (swapJson), so that logs with older rows are not used. */
const SUFFIX = '.rows2'
/** Logs of any version, and drafts of the first; nothing else in the folder is deleted. */
const LOG_NAME = /^\.?[\da-f-]{36}\.rows\d*$/
const LOG_BYTES = 64 * 2 ** 20
const MAX_KEPT_BYTES = 32 * 2 ** 20
/** This many cells of a list stay in memory if the disk does not take them. */
const MAX_IN_MEMORY = 128
/** A log is deleted this long after its last use in a new list: a list may still be in transfer. */
const GRACE_MS = 70 * MINUTE
/** Rows that were written longer ago are in no list. */
const MAX_AGE_MS = 28 * HOUR

/** What another process needs to find a segment in a log. */
interface StoredFacts extends Omit<Piece, 'text' | 'deflated'> {
  /** Says which rows these are; empty if no other process may use them. */
  readonly name: string
  /** Block times in seconds. */
  readonly oldest: number
  readonly youngest: number
  /** Number of its bytes in each file. */
  readonly lengths: readonly number[]
  /** The checksum of these bytes. */
  readonly check: number
}

/** A piece on disk. */
export interface Segment extends StoredFacts {
  readonly log: RowLog
  readonly text: Range
  readonly deflated: Range
  /** The other fields of its rows (`IndexedRow`), as JSON. */
  readonly index: Range
}

/** Rows that are on disk, or else in memory. */
export interface KeptRows {
  readonly segment: Segment | null
  readonly rows: readonly ListedRow[]
}

/**
 * Rendered rows, in a few logs. A process writes only its own, and uses those that it found when it started. It has all
 * their files open, so anybody may delete these: the next process then renders the rows again. Only rendering makes
 * files, so requests cannot use them up.
 */
export class RowStore {
  readonly #folder: string
  readonly #logs = new Set<RowLog>()
  /** What other processes wrote before this one started, by name, until it is used. */
  readonly #found = new Map<string, Segment>()
  readonly #rows = new LRUCache<Segment, ListedRow[]>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: (_rows, { length }) => length,
    fetchMethod: readRows,
    // Rows that are evicted from memory are still read to the end.
    ignoreFetchAbort: true,
  })
  #log: RowLog | null = null
  #appending: Promise<unknown> = Promise.resolve()
  /** Why the last write failed; null if it did not. */
  fault: unknown = null
  /** Whether the disk did not take rows of this rendering. It would not take others either. */
  hasFailed = false

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws if no file can be made in the folder, except because the disk is full: older rows can still be used */
  static async open(folder: string): Promise<RowStore> {
    makeFolder(folder)
    const probe = join(folder, randomUUID())
    await writeFile(probe, '').catch((error: unknown) => {
      if (!isFull(error)) throw error
    })
    await rm(probe, { force: true })
    const store = new RowStore(folder)
    // In order, so that processes that share the folder use the same of several equal segments.
    for (const name of (await readdir(folder)).filter((file) => LOG_NAME.test(file)).sort()) {
      const log = new RowLog(join(folder, name))
      store.#logs.add(log)
      // Else a process that never runs for 70 minutes would fill the disk.
      const isOld = Date.now() - (await log.writtenAt()) > MAX_AGE_MS
      if (isOld) log.unusedSince = Number.NEGATIVE_INFINITY
      const segments = name.endsWith(SUFFIX) && !isOld ? await log.read() : []
      for (const segment of segments) store.#found.set(segment.name, segment)
    }
    return store
  }

  /** Returns the rows of this name that another process wrote; null if there are none, or if they are damaged. */
  async find(name: string): Promise<Segment | null> {
    const segment = this.#found.get(name)
    if (segment === undefined) return null
    this.#found.delete(name)
    const contents = await Promise.all([segment.text, segment.deflated, segment.index].map(readRange)).catch(() => [])
    return checksum(contents) === segment.check ? segment : null
  }

  /** Writes rows to disk, under a name by which other processes find them. */
  async write(rows: readonly ListedRow[], name = ''): Promise<Segment> {
    const bytes = textOf(rows)
    const contents = [bytes, await deflatePiece(bytes), Buffer.from(JSON.stringify(rows.map(indexed)))]
    const oldest = rows.reduce((first, { time }) => Math.min(first, time), Number.POSITIVE_INFINITY)
    const youngest = rows.reduce((last, { time }) => Math.max(last, time), Number.NEGATIVE_INFINITY)
    const sums = { lengths: contents.map(({ length }) => length), check: checksum(contents) }
    const facts = { name, ...countRows(rows), ...sumsOf(bytes), oldest, youngest, ...sums }
    try {
      const segment = await this.#append(facts, contents)
      this.fault = null
      return segment
    } catch (error) {
      this.fault = error
      throw error
    }
  }

  /**
   * Writes rows to disk. If it does not take them, it is probably full: they stay in memory.
   *
   * @param others what else may be in memory
   * @throws why the disk does not take them, if too much is in memory
   */
  async keep(rows: readonly ListedRow[], others: Iterable<KeptRows>, name = ''): Promise<KeptRows> {
    try {
      if (this.hasFailed) throw this.fault
      return { segment: await this.write(rows, name), rows: [] }
    } catch (error) {
      this.hasFailed = true
      if ([...others].filter((kept) => kept.rows.length > 0).length >= MAX_IN_MEMORY) throw error
      return { segment: null, rows }
    }
  }

  async rowsOf({ segment, rows }: KeptRows): Promise<readonly ListedRow[]> {
    return segment === null ? rows : present(await this.#rows.fetch(segment))
  }

  /** How many files could not be read. If there are more of them, rows are stale. */
  get failures(): number {
    return broken.size
  }

  /** Notes that other rows took the place of these. */
  replace({ segment }: KeptRows): void {
    if (segment !== null) segment.log.replacedBytes += segment.length
  }

  /**
   * Returns whether rows are to be rendered again: their log cannot be read, or most of it was replaced, so that only
   * they keep it open.
   */
  isStale({ segment }: KeptRows): boolean {
    if (segment === null) return false
    if (segment.log.isBroken) return true
    if (segment.log === this.#log || this.fault !== null) return false
    return segment.log.replacedBytes > segment.log.length / 2
  }

  /** Deletes the logs that have been unused for a while, also those of earlier processes and versions. */
  async deleteUnused(used: Iterable<Segment>): Promise<void> {
    const inUse = new Set(Array.from(used, ({ log }) => log))
    if (this.#log !== null) inUse.add(this.#log)
    const now = performance.now()
    for (const log of this.#logs) {
      log.unusedSince = inUse.has(log) ? Number.POSITIVE_INFINITY : Math.min(log.unusedSince, now)
      if (now - log.unusedSince < GRACE_MS) continue
      this.#logs.delete(log)
      for (const [name, segment] of this.#found) if (segment.log === log) this.#found.delete(name)
      await log.delete()
    }
  }

  async close(): Promise<void> {
    this.#log = null
    await Promise.all(Array.from(this.#logs, (log) => log.close()))
    this.#logs.clear()
  }

  /** One at a time. */
  #append(facts: StoredFacts, contents: readonly Buffer[]): Promise<Segment> {
    const appending = this.#appending.then(async () => {
      const log = await this.#openLog()
      return log.append(facts, contents).catch((error: unknown) => this.#leave(log, error))
    })
    this.#appending = appending.catch(() => undefined)
    return appending
  }

  async #openLog(): Promise<RowLog> {
    if (this.#log === null || this.#log.isBroken || this.#log.length >= LOG_BYTES) {
      this.#log = await RowLog.make(join(this.#folder, `${randomUUID()}${SUFFIX}`))
      this.#logs.add(this.#log)
    }
    return this.#log
  }

  /** Writes to another log after a failure, unless the disk is full: that ends, and a new log would need room, too. */
  async #leave(log: RowLog, error: unknown): Promise<never> {
    if (!isFull(error)) {
      this.#log = null
      if (log.length === 0 && this.#logs.delete(log)) await log.delete()
    }
    throw error
  }
}

function isFull(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return ['ENOSPC', 'EDQUOT'].includes(code)
}

/** What is not a regular file must neither be followed nor block. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const FILES = ['text', 'deflated', 'index']
const INDEX = 2
/** In the index, before the rows of each segment: a checksum, then the facts as JSON. */
const FACTS_BYTES = 512

/** A folder of three files that grow together, so that rows written one after the other are one range of each. */
class RowLog {
  readonly #path: string
  readonly #files: FileHandle[] = []
  #lengths: readonly number[] = [0, 0, 0]
  replacedBytes = 0
  unusedSince = Number.POSITIVE_INFINITY

  constructor(path: string) {
    this.#path = path
  }

  static async make(path: string): Promise<RowLog> {
    makeFolder(path)
    const log = new RowLog(path)
    try {
      await log.#open('wx+')
      return log
    } catch (error) {
      await log.delete()
      throw error
    }
  }

  get length(): number {
    return present(this.#lengths[0])
  }

  get isBroken(): boolean {
    return this.#files.some((file) => broken.has(file))
  }

  /** Returns the time of the last write in milliseconds. An earlier version's log is a single file. */
  async writtenAt(): Promise<number> {
    const paths = [this.#path, ...FILES.map((name) => join(this.#path, name))]
    const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
    return Math.max(...found.map((file) => file?.mtimeMs ?? 0))
  }

  /** Opens a log of another process. Returns the segments that it has now, up to the first damaged facts. */
  async read(): Promise<Segment[]> {
    const segments: Segment[] = []
    try {
      await this.#open(READ)
      for (const file of this.#files) if (!(await file.stat()).isFile()) return segments
      while (this.#lengths.every((length) => length < LOG_BYTES)) {
        const facts = Buffer.alloc(FACTS_BYTES)
        await present(this.#files[INDEX]).read(facts, 0, FACTS_BYTES, present(this.#lengths[INDEX]))
        segments.push(this.#add(decodeFacts(facts)))
      }
    } catch {
      // The end of the index, or damage.
    }
    return segments
  }

  /** Adds nothing if it fails: the next write begins at the same place. The index is last, so what it names is there. */
  async append(facts: StoredFacts, contents: readonly Buffer[]): Promise<Segment> {
    const [text, deflated, rows] = contents as [Buffer, Buffer, Buffer]
    for (const [at, bytes] of [text, deflated, Buffer.concat([encodeFacts(facts), rows])].entries()) {
      // A disk that is almost full takes a part.
      for (let done = 0; done < bytes.length; ) {
        const start = present(this.#lengths[at]) + done
        done += (await present(this.#files[at]).write(bytes, done, bytes.length - done, start)).bytesWritten
      }
    }
    return this.#add(facts)
  }

  /** Other processes that use the log keep its files. Nothing can be done about files that cannot be deleted. */
  async delete(): Promise<void> {
    await this.close()
    await rm(this.#path, { recursive: true, force: true }).catch(() => undefined)
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close().catch(() => undefined)))
  }

  async #open(flags: number | 'wx+'): Promise<void> {
    for (const name of FILES) this.#files.push(await open(join(this.#path, name), flags))
  }

  #add(facts: StoredFacts): Segment {
    const ranges = facts.lengths.map((length, at): Range => {
      const start = present(this.#lengths[at]) + (at === INDEX ? FACTS_BYTES : 0)
      return { file: present(this.#files[at]), start, length }
    })
    this.#lengths = ranges.map(({ start, length }) => start + length)
    const [text, deflated, index] = ranges as [Range, Range, Range]
    return { ...facts, log: this, text, deflated, index }
  }
}

function encodeFacts(facts: StoredFacts): Buffer {
  const bytes = Buffer.alloc(FACTS_BYTES, ' ')
  bytes.write(JSON.stringify(facts), 4)
  bytes.writeUInt32LE(crc32(bytes.subarray(4)))
  return bytes
}

/** @throws if they are damaged. Anybody may have written them, with a right checksum, too. */
function decodeFacts(bytes: Buffer): StoredFacts {
  const facts: StoredFacts = JSON.parse(bytes.toString('utf8', 4))
  const { name, digest, lengths, rows, unpriced, flagged, length, crc, shift, oldest, youngest, check } = facts
  const numbers = [...lengths, rows, unpriced, flagged, length, crc, shift, oldest, youngest, check]
  const isValid =
    bytes.readUInt32LE() === crc32(bytes.subarray(4)) &&
    [name, digest].every((text) => typeof text === 'string') &&
    numbers.every((number) => Number.isSafeInteger(number) && number >= 0) &&
    lengths.length === FILES.length &&
    lengths.every((part) => part <= LOG_BYTES) &&
    lengths[0] === length
  if (!isValid) throw new Error('the facts of a segment are damaged')
  return facts
}

function checksum(contents: readonly Buffer[]): number {
  return contents.reduce((sum, bytes) => crc32(bytes, sum), 0)
}

/** Files that could not be read, or were shorter than expected. */
const broken = new Set<FileHandle>()

/** Fills a buffer with rows. @throws if the file cannot be read, or is shorter than it was; its rows are then stale */
export async function readFully(file: FileHandle, buffer: Buffer, start: number): Promise<Buffer> {
  try {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
    if (bytesRead !== buffer.length) throw new Error('a file of rows is shorter than it was')
  } catch (error) {
    broken.add(file)
    throw error
  }
  return buffer
}

async function readRange({ file, start, length }: Range): Promise<Buffer> {
  return readFully(file, Buffer.allocUnsafe(length), start)
}

type IndexedRow = [NetworkName, number, number, number, number, boolean, boolean, number]

function indexed(row: ListedRow): IndexedRow {
  const { network, blockNumber, transactionIndex, position, time, unpriced, flagged, json } = row
  return [network, blockNumber, transactionIndex, position, time, unpriced, flagged, Buffer.byteLength(json)]
}

async function readRows({ text, index }: Segment): Promise<ListedRow[]> {
  try {
    return rowsIn(await readRange(text), await readRange(index))
  } catch (cause) {
    broken.add(index.file)
    throw new Error('rows cannot be read from disk', { cause })
  }
}

function rowsIn(bytes: Buffer, index: Buffer): ListedRow[] {
  let end = 0
  const rows = (JSON.parse(index.toString()) as IndexedRow[]).map((row) => {
    const [network, blockNumber, transactionIndex, position, time, unpriced, flagged, length] = row
    const start = end + 1
    end = start + length
    const json = bytes.toString('utf8', start, end)
    return { network, blockNumber, transactionIndex, position, time, unpriced, flagged, json }
  })
  if (end !== bytes.length) throw new Error('an index of rows is damaged')
  return rows
}
