import type { BlockRange } from '@dexfeed/dex'
import type { RpcVerdict } from '../errors/classify-rpc-error.ts'

/**
 * Target size of a response: large enough that the round trip does not matter, and small enough that parsed data is
 * freed before the garbage collector copies it.
 */
const TARGET_BYTES = 1024 * 1024
const FIRST_BLOCKS = 100
const MAX_BLOCKS = 50_000
const GROWTH = 1.05

/**
 * Learns how many blocks one eth_getLogs should span. The range doubles until one is refused, or up to the largest
 * range served before an outage; then it grows by a few percent.
 */
export class LogRange {
  #size: number
  #ceiling = MAX_BLOCKS
  /** Largest range served since the last refusal of a range for its size. */
  #proven = MAX_BLOCKS

  constructor(first: number = FIRST_BLOCKS) {
    this.#size = first
  }

  get blocks(): number {
    return this.#size
  }

  served(blocks: number, bytes: number): void {
    const fitting = bytes === 0 ? MAX_BLOCKS : Math.max(1, Math.floor((blocks * TARGET_BYTES) / bytes))
    if (bytes > TARGET_BYTES) this.#size = Math.min(this.#size, fitting)
    if (blocks < this.#size) return
    const grown = this.#size < this.#proven ? this.#size * 2 : Math.ceil(this.#size * GROWTH)
    this.#size = Math.max(1, Math.min(grown, fitting, this.#ceiling))
    this.#proven = Math.max(this.#proven, this.#size)
  }

  refused({ from, to }: BlockRange, verdict: RpcVerdict): void {
    if (verdict.kind !== 'range' && verdict.kind !== 'timeout') return
    if (verdict.kind === 'range' && verdict.maxBlocks !== null) this.#ceiling = verdict.maxBlocks
    const suggested = verdict.to === null ? 1 : verdict.to - from + 1
    this.#size = Math.max(1, Math.min(this.#size, suggested, to - from, this.#ceiling))
    if (verdict.kind === 'range' && verdict.sure) this.#proven = this.#size
  }
}
