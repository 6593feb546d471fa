import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Address, HOUR, MINUTE, type NetworkName } from '@dexfeed/dex'
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
} from './segment-file.ts'
import { codeOf, filesOf, linkOrCopy, readAt, withFile, writeWhole } from './whole-files.ts'

const SUFFIX = '.rows'
/** Segments go into one file until their rows are so many bytes. */
const FILE_BYTES = 4 * 2 ** 20
/** Blocks of files that were read are kept up to so many bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20
/** Lists that are being sent may need a file for so long after it is of no use for others. */
const GRACE_MS = 70 * MINUTE
/** No list shows what was rendered so long ago. */
const MAX_AGE_MS = 28 * HOUR

/** Rows in a file that never changes. */
export interface Segment extends SegmentFacts {
  path: string
}

/**
 * The folder of rendered rows. Several programs may share it: a file belongs to who wrote it, and who takes one of
 * another into use keeps it under a name of its own.
 */
export class SegmentStore {
  readonly #folder: string
  readonly #blocks: LRUCache<string, RenderedBlock[], Segment>
  readonly #byName = new Map<string, Segment>()
  /** Of each file, the segments that lists have. */
  readonly #used = new Map<string, Set<string>>()
  readonly #retired = new Map<string, number>()
  /** Files that this program wrote, or has its own name for: no other one deletes them before they are too old. */
  readonly #own = new Set<string>()
  /** Files that lists had and that are gone. */
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

  /** @throws when the folder cannot be made or written */
  static async open(folder: string): Promise<SegmentStore> {
    await mkdir(folder, { recursive: true })
    const probe = join(folder, `.${randomUUID()}`)
    await writeFile(probe, '')
    await rm(probe)
    const store = new SegmentStore(folder)
    for (const path of await filesOf(folder, SUFFIX)) {
      for (const segment of await segmentsOf(path)) store.#byName.set(segment.name, segment)
    }
    return store
  }

  /** Writes segments that come in the order of the list, some of them in one file. */
  writer(): SegmentWriter {
    return new SegmentWriter((segments) => this.#write(segments))
  }

  /** What was written under a name before, with all tokens known; null: nothing that is still right. */
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

  /** The blocks of a segment of one network. */
  async blocks(segment: Segment): Promise<readonly RenderedBlock[]> {
    const read = this.#blocks.fetch(`${segment.path} ${segment.name}`, { context: segment })
    return (await this.#noticing(segment, read)) ?? []
  }

  /** The segments with their rows moved into common files: many small ones take long to read. */
  async pack(segments: readonly Segment[]): Promise<Segment[]> {
    const encoded = await Promise.all(segments.map((segment) => this.#noticing(segment, encodedOf(segment))))
    return this.#write(encoded)
  }

  /** Of how many segments that lists have its file is. */
  sharing({ path }: Segment): number {
    return this.#used.get(path)?.size ?? 0
  }

  /** Lists have it. */
  use({ path, name }: Segment): void {
    const used = this.#used.get(path)
    if (used === undefined) this.#used.set(path, new Set([name]))
    else used.add(name)
    this.#retired.delete(path)
  }

  /** No new list has it; its file goes when no old one may need it any more. */
  retire({ path, name }: Segment): void {
    const used = this.#used.get(path)
    used?.delete(name)
    if (used?.size !== 0) return
    this.#used.delete(path)
    this.#retired.set(path, Date.now())
  }

  /** Whether its file is gone, as far as anybody has noticed: its rows are to be rendered again. */
  isLost(segment: Segment | null): boolean {
    return segment !== null && this.#lost.has(segment.path)
  }

  /** Deletes what nobody needs, also of those who ran before; and notices which files are gone. */
  async sweep(): Promise<void> {
    const now = Date.now()
    for (const [path, since] of this.#retired) if (now - since >= GRACE_MS) await this.#remove(path)
    // What is written meanwhile is in use, but not among the files.
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

  /** What reading a segment gives; a file that is gone is noticed. */
  async #noticing<T>({ path }: Segment, reading: Promise<T>): Promise<T> {
    try {
      return await reading
    } catch (error) {
      if (codeOf(error) === 'ENOENT') this.#lose(path)
      throw error
    }
  }

  /**
   * The segment in a file that others do not delete.
   *
   * @throws when the file is gone, or cannot be kept
   */
  async #owned(segment: Segment): Promise<Segment> {
    if (this.#own.has(segment.path)) return segment
    const path = join(this.#folder, `${randomUUID()}${SUFFIX}`)
    await linkOrCopy(segment.path, path)
    this.#own.add(path)
    // Until a list has some of it.
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

/** Collects segments until they are worth a file. */
export class SegmentWriter {
  readonly #write: (segments: readonly EncodedSegment[]) => Promise<Segment[]>
  #waiting: { encoded: EncodedSegment; done: (segment: Segment) => void }[] = []
  #bytes = 0

  constructor(write: (segments: readonly EncodedSegment[]) => Promise<Segment[]>) {
    this.#write = write
  }

  /** `done` is called when it is written, at `finish` the latest. */
  async add(
    of: { name: string; network: NetworkName | null; blocks: readonly RenderedBlock[]; unknown: readonly Address[] },
    done: (segment: Segment) => void,
  ): Promise<void> {
    const encoded = await encodeSegment(of.name, of.network, of.blocks, of.unknown)
    this.#waiting.push({ encoded, done })
    this.#bytes += encoded.rows.length
    if (this.#bytes >= FILE_BYTES) await this.finish()
  }

  /** Writes what waits. */
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

/** What a file holds; nothing where it is none of ours, or not whole. */
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
