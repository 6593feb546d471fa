import { hash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import type { Address, NetworkName } from '@dexfeed/dex'
import { makeFolder } from '@dexfeed/service'
import { countRows, type ListedRow, type RowCounts } from './listed-row.ts'

const SUFFIX = '.rows'
const FILE_BYTES = 64 * 2 ** 20

const deflate = promisify(deflateRaw)
/** The fastest level shrinks a list to a tenth. After a full flush a piece ends on a byte, and refers to no other. */
const FAST_PIECE = { level: 1, finishFlush: constants.Z_FULL_FLUSH }

/** Bytes of a file. */
export interface Range {
  file: RowFile
  start: number
  length: number
}

/** The rows of some blocks, on disk. */
export interface Cell extends RowCounts {
  readonly number: number
  /** Differs whenever the rows may differ. */
  readonly version: string
  /** Whether later blocks cannot add rows to it. */
  readonly isComplete: boolean
  /** Tokens of rows that were left out because the database does not have them. */
  readonly unknown: readonly Address[]
  /** Block times in seconds. The youngest counts rows that were left out, too. */
  readonly oldest: number
  readonly youngest: number
  /** The rows, each with a leading comma; the same deflated; and what else is known of each row. */
  readonly text: Range
  readonly deflated: Range
  readonly index: Range
  readonly digest: string
  /** What the text adds to the CRC-32 of earlier bytes and of as many zeros as the text has bytes. */
  readonly crc: number
}

type CellFacts = Pick<Cell, 'number' | 'version' | 'isComplete' | 'unknown' | 'youngest'>

/** The files of this process. They have no names, so they disappear with the process, however it ends. */
export class CellStore {
  readonly #folder: string
  readonly files = new Set<RowFile>()
  readonly #logs = new Set<CellLog>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws if no file can be made there */
  static async open(folder: string): Promise<CellStore> {
    makeFolder(folder)
    // Earlier versions left files behind.
    for (const name of await readdir(folder)) if (name.endsWith(SUFFIX)) await rm(join(folder, name), { force: true })
    const store = new CellStore(folder)
    await (await store.makeFile()).close()
    return store
  }

  async makeFile(): Promise<RowFile> {
    const path = join(this.#folder, `${randomUUID()}${SUFFIX}`)
    const handle = await open(path, 'wx+')
    await rm(path, { force: true })
    return new RowFile(handle)
  }

  /** @param fileBytes a file takes no more cells from here on */
  log(fileBytes = FILE_BYTES): CellLog {
    const log = new CellLog(this, fileBytes, () => this.#logs.delete(log))
    this.#logs.add(log)
    return log
  }

  async rows({ text, index }: Cell): Promise<ListedRow[]> {
    const bytes = await text.file.read(Buffer.allocUnsafe(text.length), text.start)
    const facts = await index.file.read(Buffer.allocUnsafe(index.length), index.start)
    let end = 0
    return (JSON.parse(facts.toString()) as IndexedRow[]).map((row) => {
      const [network, blockNumber, transactionIndex, position, time, unpriced, flagged, length] = row
      const start = end + 1
      end = start + length
      const json = bytes.toString('utf8', start, end)
      return { network, blockNumber, transactionIndex, position, time, unpriced, flagged, json }
    })
  }

  /** Deletes all other files, except those that a log may still write to. */
  async keepOnly(used: ReadonlySet<RowFile>): Promise<void> {
    const current = new Set(Array.from(this.#logs, ({ files }) => files).flat())
    const unused = [...this.files].filter((file) => !used.has(file) && !current.has(file))
    for (const file of unused) this.files.delete(file)
    await Promise.all(unused.map((file) => file.close()))
  }

  async close(): Promise<void> {
    this.#logs.clear()
    await this.keepOnly(new Set())
  }
}

type IndexedRow = [NetworkName, number, number, number, number, boolean, boolean, number]

function indexed(row: ListedRow): IndexedRow {
  const { network, blockNumber, transactionIndex, position, time, unpriced, flagged, json } = row
  return [network, blockNumber, transactionIndex, position, time, unpriced, flagged, Buffer.byteLength(json)]
}

/** Writes cells one after the other, so that those which follow each other in a list are one range of a file. */
export class CellLog {
  readonly #store: CellStore
  readonly #fileBytes: number
  readonly end: () => void
  files: readonly RowFile[] = []

  constructor(store: CellStore, fileBytes: number, end: () => void) {
    this.#store = store
    this.#fileBytes = fileBytes
    this.end = end
  }

  /** @param opening replaces the comma before the first row */
  async write(facts: CellFacts, rows: readonly ListedRow[], opening = ''): Promise<Cell> {
    const text = Buffer.from(rows.map(({ json }) => `,${json}`).join(''))
    text.write(opening)
    const deflated = await deflate(text, FAST_PIECE)
    const index = Buffer.from(JSON.stringify(rows.map(indexed)))
    if ((this.files[0]?.length ?? this.#fileBytes) >= this.#fileBytes) {
      this.files = await Promise.all([text, deflated, index].map(() => this.#store.makeFile()))
      for (const file of this.files) this.#store.files.add(file)
    }
    const [textFile, deflatedFile, indexFile] = this.files as [RowFile, RowFile, RowFile]
    return {
      ...facts,
      ...countRows(rows),
      oldest: rows.reduce((oldest, { time }) => Math.min(oldest, time), Number.POSITIVE_INFINITY),
      text: await textFile.append(text),
      deflated: await deflatedFile.append(deflated),
      index: await indexFile.append(index),
      digest: hash('sha256', text, 'base64url'),
      crc: crc32(text) ^ crcBeforeZeros(0, text.length),
    }
  }
}

/** A file that grows. A failed write adds nothing: the next one overwrites it. */
export class RowFile {
  readonly #handle: FileHandle
  length = 0

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async append(bytes: Buffer): Promise<Range> {
    const start = this.length
    const { bytesWritten } = await this.#handle.write(bytes, 0, bytes.length, start)
    if (bytesWritten !== bytes.length) throw new Error('the disk took only a part of the rows')
    this.length += bytes.length
    return { file: this, start, length: bytes.length }
  }

  /** Fills the buffer. */
  async read(buffer: Buffer, start: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, start)
    if (bytesRead !== buffer.length) throw new Error('a file of rows is shorter than it was')
    return buffer
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

export function filesOf(cells: Iterable<Cell>): Set<RowFile> {
  const files = new Set<RowFile>()
  for (const { text, deflated, index } of cells) files.add(text.file).add(deflated.file).add(index.file)
  return files
}

const ZEROS = Buffer.alloc(2 ** 20)

/** Returns the CRC-32 of bytes whose CRC is known, and zeros after them. */
export function crcBeforeZeros(first: number, zeros: number): number {
  let crc = first
  for (let left = zeros; left > 0; left -= ZEROS.length) crc = crc32(ZEROS.subarray(0, left), crc)
  return crc
}
