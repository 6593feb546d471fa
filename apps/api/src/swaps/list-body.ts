import { combineCrc, deflatePiece, GZIP_HEADER, gzipTrailer } from './day/gzip-member.ts'
import type { ListPlan } from './day/list-state.ts'
import { type RenderedBlock, sumsOf, sumsOfBytes } from './day/rendered-block.ts'

/** How a list is sent. */
export type Encoding = 'identity' | 'gzip'

/** A part of a body: bytes, or a stretch of a file. */
export type BodyPart = { bytes: () => Promise<Buffer> | Buffer } | FilePart

interface FilePart {
  path: string
  start: number
  length: number
}

const OPENING = Buffer.from('[')
const CLOSING = Buffer.from(']')
const EMPTY = Buffer.from('[]')

interface Bodies {
  identity?: readonly BodyPart[]
  gzip?: readonly BodyPart[]
  length?: number
}

/** Of lists by their pieces: the same one is sent to many. */
const known = new WeakMap<ListPlan['pieces'], Bodies>()

function knownOf({ pieces }: ListPlan): Bodies {
  const bodies = known.get(pieces) ?? {}
  known.set(pieces, bodies)
  return bodies
}

/** The parts of a list's body, in order. */
export function bodyOf(plan: ListPlan, encoding: Encoding): readonly BodyPart[] {
  const bodies = knownOf(plan)
  bodies[encoding] ??= encoding === 'gzip' ? gzipBody(plan) : identityBody(plan)
  return bodies[encoding]
}

/** Bytes of a list as it is. */
export function identityLength(plan: ListPlan): number {
  const bodies = knownOf(plan)
  bodies.length ??= lengthOfAll(plan)
  return bodies.length
}

function lengthOfAll({ pieces }: ListPlan): number {
  if (pieces.length === 0) return EMPTY.length
  // The opening bracket stands where the first row's comma would.
  return pieces.reduce((sum, piece) => sum + lengthOf(piece), CLOSING.length)
}

function lengthOf(piece: ListPlan['pieces'][number]): number {
  return 'segment' in piece ? piece.segment.length : piece.block.bytes.length
}

function identityBody({ pieces }: ListPlan): BodyPart[] {
  if (pieces.length === 0) return [{ bytes: () => EMPTY }]
  const parts = pieces.map((piece, at): BodyPart => {
    if ('segment' in piece) return piece.segment
    const { bytes } = piece.block
    return { bytes: () => (at === 0 ? opened(bytes) : bytes) }
  })
  return [...joined(parts), { bytes: () => CLOSING }]
}

/** Stretches of a file that follow each other are one. */
function joined(parts: readonly BodyPart[]): BodyPart[] {
  const all: BodyPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last !== undefined && 'path' in last && 'path' in part && follows(last, part)) last.length += part.length
    else all.push('path' in part ? { path: part.path, start: part.start, length: part.length } : part)
  }
  return all
}

function follows(last: FilePart, { path, start }: FilePart): boolean {
  return last.path === path && last.start + last.length === start
}

/** The first row has no comma in front of it. */
function opened(bytes: Buffer): Buffer {
  return Buffer.concat([OPENING, bytes.subarray(1)])
}

function gzipBody(plan: ListPlan): BodyPart[] {
  const { pieces } = plan
  const body = pieces.map((piece, at): BodyPart => {
    if ('segment' in piece) {
      const { path, deflatedStart, deflatedLength } = piece.segment
      return { path, start: deflatedStart, length: deflatedLength }
    }
    const { block } = piece
    if (at > 0) return { bytes: () => deflatedOf(block) }
    let made: Promise<Buffer> | null = null
    return {
      bytes: () => {
        made ??= deflatePiece(opened(block.bytes))
        return made
      },
    }
  })
  const end = pieces.length === 0 ? EMPTY : CLOSING
  let made: Promise<Buffer> | null = null
  const trailer = () => {
    made ??= deflatePiece(end).then((last) => Buffer.concat([last, gzipTrailer(crcOf(plan), identityLength(plan))]))
    return made
  }
  return [{ bytes: () => GZIP_HEADER }, ...joined(body), { bytes: trailer }]
}

const deflated = new WeakMap<RenderedBlock, Promise<Buffer>>()

/** Worked out once a block. */
function deflatedOf(block: RenderedBlock): Promise<Buffer> {
  const known = deflated.get(block)
  if (known !== undefined) return known
  const work = deflatePiece(block.bytes)
  deflated.set(block, work)
  return work
}

function crcOf({ pieces }: ListPlan): number {
  const end = sumsOfBytes(pieces.length === 0 ? EMPTY : CLOSING)
  const sums = pieces.map((piece, at) => {
    if ('segment' in piece) return piece.segment
    return at === 0 ? sumsOfBytes(opened(piece.block.bytes)) : sumsOf(piece.block)
  })
  return [...sums, end].reduce(combineCrc, 0)
}
