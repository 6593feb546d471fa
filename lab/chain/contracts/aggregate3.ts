import type { Address, Hex } from '@dexfeed/dex'
import { word } from '../abi.ts'

export interface Call {
  to: Address
  data: Hex
}

export const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'

const WORD = 64

/** Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])` */
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
    const result = call({ to: `0x${data.slice(tuple + 24, tuple + WORD)}`, data: `0x${input}` })
    const output = (result ?? '0x').slice(2)
    const padded = output.padEnd(Math.ceil(output.length / WORD) * WORD, '0')
    const text = word(result === null ? 0 : 1) + word(64) + word(output.length / 2) + padded
    offsets.push(word(offset))
    tuples.push(text)
    offset += text.length / 2
  }
  return `0x${word(32)}${word(count)}${offsets.join('')}${tuples.join('')}`
}
