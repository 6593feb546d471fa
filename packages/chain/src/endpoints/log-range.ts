import type { BlockRange } from '@dexfeed/dex'
import type { RpcVerdict } from '../errors/classify-rpc-error.ts'

/** How many blocks one eth_getLogs to one endpoint should span. Learns from what was served and refused. */
export interface LogRange {
  blocks(): number
  /** A question over so many blocks was answered with so many bytes. */
  served(blocks: number, bytes: number): void
  /** A question over so many blocks was refused, for its size or for the time it took. */
  refused(range: BlockRange, verdict: RpcVerdict): void
}

/**
 * Aim of one answer: big enough that the round trip does not count, small enough that most of what is parsed of it is
 * done with before the garbage collector copies it.
 */
const TARGET_BYTES = 2 * 1024 * 1024
const FIRST_BLOCKS = 100
const MOST_BLOCKS = 50_000
const GROWTH = 1.05

/**
 * Doubles while answers are small and nothing was refused yet, or back up to what was served before an outage;
 * after a refusal grows by a few percent.
 */
export function logRange(first: number = FIRST_BLOCKS): LogRange {
  let size = first
  let ceiling = MOST_BLOCKS
  /** Known to be served since the last refusal for size. */
  let proven = MOST_BLOCKS

  return {
    blocks: () => size,
    served: (blocks, bytes) => {
      const fitting = bytes === 0 ? MOST_BLOCKS : Math.max(1, Math.floor((blocks * TARGET_BYTES) / bytes))
      if (bytes > TARGET_BYTES) size = Math.min(size, fitting)
      if (blocks < size) return
      const grown = size < proven ? size * 2 : Math.ceil(size * GROWTH)
      size = Math.max(1, Math.min(grown, fitting, ceiling))
      if (size > proven) proven = size
    },
    refused: ({ from, to }, verdict) => {
      if (verdict.kind !== 'range' && verdict.kind !== 'timeout') return
      if (verdict.kind === 'range' && verdict.maxBlocks !== null) ceiling = verdict.maxBlocks
      const suggested = verdict.to === null ? 1 : verdict.to - from + 1
      size = Math.max(1, Math.min(size, suggested, to - from, ceiling))
      if (verdict.kind === 'range' && verdict.sure) proven = size
    },
  }
}
