import { FunctionFragment, Interface } from 'ethers'
import { type Address, copyOf, type Hex } from '../chain/hex.ts'
import { selectorOf } from './fragment.ts'
import { callData, hasWords } from './words.ts'

/** Answers of one word come again and again: thousands of pools have the same factory, fee and coin. */
const WORD_ANSWER = 2 + 64
const KEPT_ANSWERS = 1_000

/** What an answer or a log may hold: numbers, addresses and bytes as lower-case hex, lists of these. */
export type AbiValue = bigint | boolean | Hex | readonly AbiValue[]

/** A question to a contract and its answer. */
export interface ContractCall<Values extends readonly AbiValue[]> {
  /** Call data. */
  data(...args: readonly (Address | bigint | number)[]): Hex
  /** What the contract answered; null where that is nothing, or of another shape: anybody may answer anything. */
  read(answer: Hex | null | undefined): Values | null
}

/**
 * A function of a contract by its human-readable ABI, read by ethers at its first use. An answer whose results are a
 * word each is as long as these; lists and bytes lie where their offsets say. Integers are cut to their types: one that
 * a contract may answer too large is declared as wide as a word.
 *
 * @typeParam Values what the fragment says that it returns
 */
export function contractCall<Values extends readonly AbiValue[]>(fragment: string): ContractCall<Values> {
  const selector = selectorOf(fragment)
  // These begin a word; all else ends it.
  const takesBytes = /^[^)]*\bbytes/.test(fragment)
  let opened: { abi: Interface; call: FunctionFragment; words: number | null } | undefined
  const open = () => {
    if (opened !== undefined) return opened
    const call = FunctionFragment.from(fragment)
    const isFlat = !call.outputs.some(({ type, arrayLength }) => arrayLength === -1 || type === 'bytes')
    const words = call.outputs.reduce((sum, { arrayLength }) => sum + (arrayLength ?? 1), 0)
    opened = { abi: new Interface([call]), call, words: isFlat ? words : null }
    return opened
  }
  const known = new Map<string, Values | null>()
  const decode = (answer: Hex): Values | null => {
    const { abi, call, words } = open()
    if (words !== null && !hasWords(answer, words)) return null
    try {
      return plainValues(abi.decodeFunctionResult(call, answer).toArray(true)) as unknown as Values
    } catch {
      return null
    }
  }
  return {
    data(...args) {
      // A third of a millisecond by ethers, and a pool has thousands of ticks to ask for.
      if (!takesBytes) return callData(selector, ...args)
      const { abi, call } = open()
      return abi.encodeFunctionData(call, args) as Hex
    },
    read(answer) {
      if (!answer) return null
      if (answer.length !== WORD_ANSWER) return decode(answer)
      const kept = known.get(answer)
      if (kept !== undefined) return kept
      const values = decode(answer)
      if (known.size >= KEPT_ANSWERS) known.clear()
      known.set(copyOf(answer), values)
      return values
    },
  }
}

/** Values as ethers reads them, in our notation: without checksums. */
export function plainValues(values: readonly unknown[]): AbiValue[] {
  return values.map((value) => {
    if (typeof value === 'string') return value.toLowerCase() as Hex
    return Array.isArray(value) ? plainValues(value) : (value as bigint | boolean)
  })
}
