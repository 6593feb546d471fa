import type { Address, Hex } from '@dexfeed/dex'
import { wordOf } from '../world/events.ts'

/** Multicall3, the same on every chain. */
export const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'

export interface Call {
  to: Address
  data: Hex
}

const WORD = 64

/** `aggregate3((address target, bool allowFailure, bytes callData)[])`, by the Contract ABI specification. */
export function aggregate3(data: Hex, call: (call: Call) => Hex | null): Hex {
  const numberAt = (at: number) => Number.parseInt(data.slice(at, at + WORD), 16)
  const list = 10 + 2 * numberAt(10)
  const first = list + WORD
  const count = numberAt(list)
  const offsets: string[] = []
  const tuples: string[] = []
  let offset = count * 32
  for (let i = 0; i < count; i++) {
    const tuple = first + 2 * numberAt(first + i * WORD)
    const bytes = tuple + 2 * numberAt(tuple + 2 * WORD)
    const input = data.slice(bytes + WORD, bytes + WORD + 2 * numberAt(bytes))
    const answer = call({ to: `0x${data.slice(tuple + 24, tuple + WORD)}`, data: `0x${input}` })
    const output = (answer ?? '0x').slice(2)
    const padded = output.padEnd(Math.ceil(output.length / WORD) * WORD, '0')
    const text = wordOf(answer === null ? 0n : 1n) + wordOf(64n) + wordOf(BigInt(output.length / 2)) + padded
    offsets.push(wordOf(BigInt(offset)))
    tuples.push(text)
    offset += text.length / 2
  }
  return `0x${wordOf(32n)}${wordOf(BigInt(count))}${offsets.join('')}${tuples.join('')}`
}
