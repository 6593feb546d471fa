import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { crc32, deflateRawSync } from 'node:zlib'
import type { NetworkName } from '@dexfeed/dex'
import { CELL_BLOCKS } from '@dexfeed/store'
import {
  type Cell,
  type CellLog,
  type CellStore,
  crcBeforeZeros,
  filesOf,
  type Range,
  type RowFile,
} from './cell-store.ts'
import { compareRows, type ListedRow, type RowCounts, type RowPlace } from './listed-row.ts'

export interface Selection {
  /** In seconds. */
  since: number
  network?: NetworkName | undefined
  after?: RowPlace | undefined
}

export type Coding = 'identity' | 'gzip'

export interface List extends RowCounts {
  /** In bytes, without a coding. */
  readonly length: number
  /** Differs whenever the bytes differ. */
  readonly tag: string
  readonly files: ReadonlySet<RowFile>
  parts(coding: Coding): readonly (Range | Promise<Buffer>)[]
}

/** Returns at most `count` rows of cells in order. */
export async function selectRows(
  cells: Iterable<Cell>,
  selection: Selection,
  count: number,
  store: CellStore,
): Promise<ListedRow[]> {
  const { since, after } = selection
  const selected: ListedRow[] = []
  for (const cell of cells) {
    if (selected.length >= count) break
    if (isLeftOut(cell, selection)) continue
    const rows = await store.rows(cell)
    selected.push(...rows.filter((row) => row.time >= since && (after === undefined || compareRows(row, after) > 0)))
  }
  return selected.slice(0, count)
}

/**
 * Puts a list together of cells in order. The first one, and those of which the list has only a part, are written again,
 * so that a list is ranges of files, whoever reads it how slowly.
 */
export async function makeList(
  cells: Iterable<Cell>,
  selection: Selection,
  store: CellStore,
  log: CellLog,
): Promise<List> {
  const listed: Cell[] = []
  for (const cell of cells) {
    if (isLeftOut(cell, selection)) continue
    const isFirst = listed.length === 0
    if (!isFirst && !isCut(cell, selection)) listed.push(cell)
    else {
      const rows = await selectRows([cell], selection, cell.rows, store)
      if (rows.length > 0) listed.push(await log.write(cell, rows, isFirst ? '[' : ''))
    }
  }
  const closing = Buffer.from(listed.length === 0 ? '[]' : ']')
  const length = sum(listed, ({ text }) => text.length) + closing.length
  const texts = joined(listed.map(({ text }) => text))
  const deflated = joined(listed.map((cell) => cell.deflated))
  let trailer: Promise<Buffer> | undefined
  return {
    rows: sum(listed, ({ rows }) => rows),
    unpriced: sum(listed, ({ unpriced }) => unpriced),
    flagged: sum(listed, ({ flagged }) => flagged),
    length,
    tag: hash('sha256', listed.map(({ digest }) => digest).join(), 'base64url').slice(0, 27),
    files: filesOf(listed),
    parts(coding) {
      if (coding === 'identity') return [...texts, Promise.resolve(closing)]
      trailer ??= gzipTrailer(listed, closing, length)
      return [Promise.resolve(GZIP_HEADER), ...deflated, trailer]
    },
  }
}

function isLeftOut({ number, youngest }: Cell, { since, after }: Selection): boolean {
  return youngest < since || (after !== undefined && (number + 1) * CELL_BLOCKS <= after.blockNumber)
}

function isCut({ number, oldest }: Cell, { since, after }: Selection): boolean {
  return oldest < since || (after !== undefined && number * CELL_BLOCKS <= after.blockNumber)
}

function sum(cells: readonly Cell[], figure: (cell: Cell) => number): number {
  return cells.reduce((total, cell) => total + figure(cell), 0)
}

/** Joins ranges that follow each other. */
function joined(ranges: readonly Range[]): Range[] {
  const parts: Range[] = []
  for (const range of ranges) {
    const last = parts.at(-1)
    if (last?.file === range.file && last.start + last.length === range.start) last.length += range.length
    else parts.push({ ...range })
  }
  return parts
}

// One gzip member (RFC 1952) of pieces that were deflated one by one: curl fails at a second member, Chromium ignores it.
// To compress each response would take 0.55 s of CPU time per 100 MB; the checksum takes 0.05 s, once for each list.

/** Magic, deflate, no flags, no time, no hints, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

async function gzipTrailer(cells: readonly Cell[], closing: Buffer, length: number): Promise<Buffer> {
  let crc = 0
  for (const cell of cells) {
    // CRCs of equal lengths add up bit by bit.
    crc = (crcBeforeZeros(crc, cell.text.length) ^ cell.crc) >>> 0
    await turn()
  }
  const sums = Buffer.alloc(8)
  sums.writeUInt32LE(crc32(closing, crc))
  sums.writeUInt32LE(length % 2 ** 32, 4)
  return Buffer.concat([deflateRawSync(closing), sums])
}
