import { combineCrc, deflatePiece, GZIP_HEADER, gzipTrailer } from './day/gzip-member.ts'
import type { ListPlan } from './day/list/list-plan.ts'
import { type RenderedBlock, sumsOf, sumsOfBytes } from './day/rendered-block.ts'

export type Encoding = 'identity' | 'gzip'

export type BodyPart = { bytes: () => Promise<Buffer> | Buffer } | FilePart

export interface FilePart {
  path: string
  start: number
  length: number
}

const OPENING = Buffer.from('[')
const CLOSING = Buffer.from(']')
const EMPTY = Buffer.from('[]')

export function bodyOf(plan: ListPlan, encoding: Encoding): Iterable<BodyPart> {
  return { [Symbol.iterator]: () => (encoding === 'gzip' ? gzipBody(plan) : joined(identityBody(plan))) }
}

export function identityLength({ rows, length }: ListPlan): number {
  // The opening bracket replaces the first row's comma.
  return rows === 0 ? EMPTY.length : length + CLOSING.length
}

function* identityBody({ rows, pieces }: ListPlan): Generator<BodyPart> {
  if (rows === 0) {
    yield { bytes: () => EMPTY }
    return
  }
  let isFirst = true
  for (const piece of pieces) {
    yield 'segment' in piece ? piece.segment : { bytes: bytesOf(piece.block, isFirst) }
    isFirst = false
  }
  yield { bytes: () => CLOSING }
}

function bytesOf({ bytes }: RenderedBlock, isFirst: boolean): () => Buffer {
  return () => (isFirst ? opened(bytes) : bytes)
}

function* joined(parts: Iterable<BodyPart>): Generator<BodyPart> {
  let last: FilePart | null = null
  for (const part of parts) {
    if (last !== null && 'path' in part && follows(last, part)) last.length += part.length
    else {
      if (last !== null) yield last
      last = 'path' in part ? { path: part.path, start: part.start, length: part.length } : null
      if (last === null) yield part
    }
  }
  if (last !== null) yield last
}

function follows(last: FilePart, { path, start }: FilePart): boolean {
  return last.path === path && last.start + last.length === start
}

/** Replaces the first row's comma by the opening bracket. */
function opened(bytes: Buffer): Buffer {
  return Buffer.concat([OPENING, bytes.subarray(1)])
}

/** Parts of a gzip member that only one list has, computed once per list for all clients. */
interface ListPieces {
  first?: Promise<Buffer>
  trailer?: Promise<Buffer>
}

const listPieces = new WeakMap<ListPlan['pieces'], ListPieces>()

function* gzipBody(plan: ListPlan): Generator<BodyPart> {
  const computed = listPieces.get(plan.pieces) ?? {}
  listPieces.set(plan.pieces, computed)
  yield { bytes: () => GZIP_HEADER }
  yield* joined(deflatedBody(plan, computed))
  yield {
    bytes: () => {
      computed.trailer ??= trailerOf(plan)
      return computed.trailer
    },
  }
}

function* deflatedBody({ pieces }: ListPlan, computed: ListPieces): Generator<BodyPart> {
  let isFirst = true
  for (const piece of pieces) {
    if ('segment' in piece) {
      const { path, deflatedStart, deflatedLength } = piece.segment
      yield { path, start: deflatedStart, length: deflatedLength }
    } else yield { bytes: deflatedBytesOf(piece.block, isFirst ? computed : null) }
    isFirst = false
  }
}

function deflatedBytesOf(block: RenderedBlock, computed: ListPieces | null): () => Promise<Buffer> {
  return () => {
    if (computed === null) return deflatedOf(block)
    computed.first ??= deflatePiece(opened(block.bytes))
    return computed.first
  }
}

async function trailerOf(plan: ListPlan): Promise<Buffer> {
  const end = plan.rows === 0 ? EMPTY : CLOSING
  const trailer = gzipTrailer(combineCrc(crcOf(plan), sumsOfBytes(end)), identityLength(plan))
  return Buffer.concat([await deflatePiece(end), trailer])
}

const deflated = new WeakMap<RenderedBlock, Promise<Buffer>>()

/** Deflates each block once. */
function deflatedOf(block: RenderedBlock): Promise<Buffer> {
  const known = deflated.get(block)
  if (known !== undefined) return known
  const work = deflatePiece(block.bytes)
  deflated.set(block, work)
  return work
}

function crcOf({ pieces }: ListPlan): number {
  let crc = 0
  let isFirst = true
  for (const piece of pieces) {
    if ('segment' in piece) crc = combineCrc(crc, piece.segment)
    else crc = combineCrc(crc, isFirst ? sumsOfBytes(opened(piece.block.bytes)) : sumsOf(piece.block))
    isFirst = false
  }
  return crc
}
