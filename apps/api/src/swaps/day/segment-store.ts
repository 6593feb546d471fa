import { randomUUID } from 'node:crypto'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { HOUR, MINUTE } from '@dexfeed/dex'
import { makeFolder } from '@dexfeed/service'
import { LRUCache } from 'lru-cache'
import { digestOf, type RenderedBlock } from './rendered-block.ts'
import {
  blocksOf,
  type EncodedSegment,
  encodeFile,
  encodeSegment,
  FOOTER_LENGTH,
  headLength,
  readHead,
  type SegmentFacts,
  type SegmentRows,
} from './segment-file.ts'
import { codeOf, filesOf, linkOrCopy, readAt, withFile, writeWhole } from './whole-files.ts'

const SUFFIX = '.rows'
const FILE_BYTES = 4 * 2 ** 20
const MAX_KEPT_BYTES = 32 * 2 ** 20
/** A file is deleted this long after its last use in a new list: a list may still be in transfer. */
const GRACE_MS = 70 * MINUTE
/** Older files are in no list. */
const MAX_AGE_MS = 28 * HOUR

export interface Segment extends SegmentFacts {
  path: string
}

/**
 * The folder of rendered rows, which a restarted process, or several at a time, reuse. A file belongs to the process
 * that wrote it; another process links it under another name.
 */
export class SegmentStore {
  readonly #folder: string
  readonly #blocks: LRUCache<string, RenderedBlock[], Segment>
  readonly #byName = new Map<string, Segment>()
  readonly #used = new Map<string, Set<string>>()
  readonly #retired = new Map<string, number>()
  /** Files that this process wrote or linked; other processes delete them only when they are too old. */
  readonly #own = new Set<string>()
  readonly #lost = new Set<string>()

  private constructor(folder: string) {
    this.#folder = folder
    this.#blocks = new LRUCache({
      maxSize: MAX_KEPT_BYTES,
      maxEntrySize: Number.MAX_SAFE_INTEGER,
      sizeCalculation: (blocks) => 1 + blocks.reduce((sum, { bytes }) => sum + bytes.length, 0),
      fetchMethod: async (_name, _stale, { context }) => {
        const { path, start, length, indexStart, indexLength } = context
        return withFile(path, async (file) =>
          blocksOf(context, await readAt(file, start, length), await readAt(file, indexStart, indexLength)),
        )
      },
    })
  }

  static async open(folder: string): Promise<SegmentStore> {
    makeFolder(folder)
    const probe = join(folder, `.${randomUUID()}`)
    await writeFile(probe, '')
    await rm(probe)
    const store = new SegmentStore(folder)
    for (const path of await filesOf(folder, SUFFIX)) {
      for (const segment of await segmentsOf(path)) store.#byName.set(segment.name, segment)
    }
    return store
  }

  writer(): SegmentWriter {
    return new SegmentWriter((segments) => this.#write(segments))
  }

  async find(name: string): Promise<Segment | null> {
    const known = this.#byName.get(name)
    if (known === undefined || known.unknown.length > 0) return null
    const segment = await this.#owned(known).catch(() => null)
    if (segment === null) {
      this.#forget(known.path)
      return null
    }
    const { path, start, length } = segment
    const rows = await withFile(path, (file) => readAt(file, start, length)).catch(() => null)
    if (rows === null || digestOf(rows) !== segment.digest) {
      this.#byName.delete(name)
      return null
    }
    this.use(segment)
    return segment
  }

  async blocks(segment: Segment): Promise<readonly RenderedBlock[]> {
    const read = this.#blocks.fetch(`${segment.path} ${segment.name}`, { context: segment })
    return (await this.#noticing(segment, read)) ?? []
  }

  async pack(segments: readonly Segment[]): Promise<Segment[]> {
    const encoded = await Promise.all(segments.map((segment) => this.#noticing(segment, encodedOf(segment))))
    return this.#write(encoded)
  }

  sharing({ path }: Segment): number {
    const used = this.#used.get(path)
    return used === undefined ? 0 : used.size
  }

  use({ path, name }: Segment): void {
    const used = this.#used.get(path)
    if (used === undefined) this.#used.set(path, new Set([name]))
    else used.add(name)
    this.#retired.delete(path)
  }

  /** Marks a segment as unused by new lists. Its file is deleted when no old list may need it. */
  retire({ path, name }: Segment): void {
    const used = this.#used.get(path)
    used?.delete(name)
    if (used?.size !== 0) return
    this.#used.delete(path)
    this.#retired.set(path, Date.now())
  }

  isLost(segment: Segment | null): boolean {
    return segment !== null && this.#lost.has(segment.path)
  }

  /** Deletes files that are not needed, also of earlier processes. Detects files that are gone. */
  async sweep(): Promise<void> {
    const now = Date.now()
    for (const [path, since] of this.#retired) if (now - since >= GRACE_MS) await this.#remove(path)
    // Files that are written meanwhile are in use, but not in the listing.
    const used = [...this.#used.keys()]
    const files = (await readdir(this.#folder)).map((file) => join(this.#folder, file))
    const there = new Set(files)
    for (const path of used) if (!there.has(path)) this.#lose(path)
    for (const path of files) {
      const age = now - (await stat(path).catch(() => ({ mtimeMs: now }))).mtimeMs
      const isDraft = basename(path).startsWith('.') && age > GRACE_MS
      if (isDraft || (path.endsWith(SUFFIX) && age > MAX_AGE_MS)) await this.#remove(path)
    }
  }

  async #remove(path: string): Promise<void> {
    this.#forget(path)
    await rm(path, { force: true })
  }

  #forget(path: string): void {
    this.#retired.delete(path)
    this.#own.delete(path)
    for (const [name, segment] of this.#byName) if (segment.path === path) this.#byName.delete(name)
  }

  #lose(path: string): void {
    this.#forget(path)
    this.#used.delete(path)
    this.#lost.add(path)
  }

  async #noticing<T>({ path }: Segment, reading: Promise<T>): Promise<T> {
    try {
      return await reading
    } catch (error) {
      if (codeOf(error) === 'ENOENT') this.#lose(path)
      throw error
    }
  }

  /** Returns the segment in a file that other processes do not delete. @throws if it is gone, or cannot be linked */
  async #owned(segment: Segment): Promise<Segment> {
    if (this.#own.has(segment.path)) return segment
    const path = join(this.#folder, `${randomUUID()}${SUFFIX}`)
    await linkOrCopy(segment.path, path)
    this.#own.add(path)
    // Unused until a list uses a part of it.
    this.#retired.set(path, Date.now())
    for (const [name, other] of this.#byName) {
      if (other.path === segment.path) this.#byName.set(name, { ...other, path })
    }
    return { ...segment, path }
  }

  async #write(encoded: readonly EncodedSegment[]): Promise<Segment[]> {
    const { segments, pieces } = encodeFile(encoded)
    const path = join(this.#folder, `${randomUUID()}${SUFFIX}`)
    await writeWhole(path, pieces)
    this.#own.add(path)
    return segments.map((facts) => {
      const segment = { ...facts, path }
      this.#byName.set(segment.name, segment)
      this.use(segment)
      return segment
    })
  }
}

export class SegmentWriter {
  readonly #write: (segments: readonly EncodedSegment[]) => Promise<Segment[]>
  #waiting: { encoded: EncodedSegment; done: (segment: Segment) => void }[] = []
  #bytes = 0

  constructor(write: (segments: readonly EncodedSegment[]) => Promise<Segment[]>) {
    this.#write = write
  }

  /** `done` is called when the segment is written, at the latest by `finish`. */
  async add(rows: SegmentRows, done: (segment: Segment) => void): Promise<void> {
    const encoded = await encodeSegment(rows)
    this.#waiting.push({ encoded, done })
    this.#bytes += encoded.rows.length
    if (this.#bytes >= FILE_BYTES) await this.finish()
  }

  async finish(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    if (waiting.length === 0) return
    const segments = await this.#write(waiting.map(({ encoded }) => encoded))
    segments.forEach((segment, at) => {
      waiting[at]?.done(segment)
    })
  }
}

async function segmentsOf(path: string): Promise<Segment[]> {
  return withFile(path, async (file) => {
    const { size } = await file.stat()
    const footer = size - FOOTER_LENGTH
    const length = footer < 0 ? null : headLength(await readAt(file, footer, FOOTER_LENGTH))
    if (length === null || length > footer) return []
    const start = footer - length
    return readHead(await readAt(file, start, length), start).map((facts) => ({ ...facts, path }))
  }).catch(() => [])
}

async function encodedOf(facts: Segment): Promise<EncodedSegment> {
  return withFile(facts.path, async (file) => ({
    facts,
    rows: await readAt(file, facts.start, facts.length),
    deflated: await readAt(file, facts.deflatedStart, facts.deflatedLength),
    index: await readAt(file, facts.indexStart, facts.indexLength),
  }))
}
