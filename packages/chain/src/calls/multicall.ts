import type { Address, Hex } from '@dexfeed/dex'
import { FunctionFragment } from 'ethers'

/** Multicall3 has this address on every chain where it is deployed (github.com/mds1/multicall3). */
export const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'

export interface Call {
  to: Address
  data: Hex
}

export interface CallOutcome {
  success: boolean
  data: Hex
}

const AGGREGATE3 = FunctionFragment.from(
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
)
const WORD_BYTES = 32
const WORD = 2 * WORD_BYTES
/** Two words: `allowFailure`, and the offset of the bytes. */
const ALLOWED_TO_FAIL = word(1) + word(3 * WORD_BYTES)

/**
 * Encodes Multicall3's aggregate3 with calls that may fail (Contract ABI specification). Computes the offsets itself,
 * because ethers' `Interface` is slow: 8 s of CPU for the 23,000 calls of a snapshot of 200 V3 pools, against 0.06 s.
 */
export function encodeAggregate3(calls: readonly Call[]): Hex {
  const offsets: string[] = []
  const tuples: string[] = []
  let offset = calls.length * WORD_BYTES
  for (const { to, data } of calls) {
    const bytes = (data.length - 2) / 2
    const padded = data.slice(2).padEnd(Math.ceil(bytes / WORD_BYTES) * WORD, '0')
    // target, allowFailure, offset of the bytes in the tuple, their length, the bytes
    tuples.push(to.slice(2).padStart(WORD, '0'), ALLOWED_TO_FAIL, word(bytes), padded)
    offsets.push(word(offset))
    offset += 4 * WORD_BYTES + padded.length / 2
  }
  return `${AGGREGATE3.selector}${word(WORD_BYTES)}${word(calls.length)}${offsets.join('')}${tuples.join('')}` as Hex
}

/** Decodes `(bool success, bytes returnData)[]`. Returns null if the response has another shape. */
export function decodeAggregate3(response: Hex, count: number): CallOutcome[] | null {
  const list = 2 + 2 * numberAt(response, 2)
  if (numberAt(response, list) !== count) return null
  const first = list + WORD
  const outcomes: CallOutcome[] = []
  for (let i = 0; i < count; i++) {
    const tuple = first + 2 * numberAt(response, first + i * WORD)
    const success = numberAt(response, tuple)
    const bytes = tuple + 2 * numberAt(response, tuple + WORD)
    const end = bytes + WORD + 2 * numberAt(response, bytes)
    if (!(end <= response.length && (success === 0 || success === 1))) return null
    outcomes.push({ success: success === 1, data: `0x${response.slice(bytes + WORD, end)}` })
  }
  return outcomes
}

function word(number: number): string {
  return number.toString(16).padStart(WORD, '0')
}

/** Returns NaN unless a whole word is there, so that the checks in `decodeAggregate3` fail. */
function numberAt(hex: string, offset: number): number {
  return offset + WORD <= hex.length ? Number(`0x${hex.slice(offset, offset + WORD)}`) : Number.NaN
}
