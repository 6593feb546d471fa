import { FunctionFragment, Interface } from 'ethers'
import { type Address, copyOf, type Hex } from '../chain/hex.ts'
import { selectorOf } from './fragment.ts'
import { callData, hasWords } from './words.ts'

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
  let opened: { abi: Interface; call: FunctionFragment; words: number | null; word: WordReader | null } | undefined
  const open = () => {
    if (opened !== undefined) return opened
    const call = FunctionFragment.from(fragment)
    const isFlat = !call.outputs.some(({ type, arrayLength }) => arrayLength === -1 || type === 'bytes')
    const words = call.outputs.reduce((sum, { arrayLength }) => sum + (arrayLength ?? 1), 0)
    const [only, ...others] = call.outputs
    const word = only === undefined || others.length > 0 ? null : wordReader(only.type)
    opened = { abi: new Interface([call]), call, words: isFlat ? words : null, word }
    return opened
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
      const { abi, call, words, word } = open()
      if (words !== null && !hasWords(answer, words)) return null
      try {
        // A hundredth of the time: each new pool is asked for a word five times.
        if (word !== null) return [word(answer)] as unknown as Values
        return plainValues(abi.decodeFunctionResult(call, answer).toArray(true)) as unknown as Values
      } catch {
        return null
      }
    },
  }
}

/** Reads an answer that is one word. @throws where it holds no such value */
type WordReader = (answer: Hex) => AbiValue

const BEFORE_ADDRESS = `0x${'0'.repeat(24)}`

/** Null: values of this type are no word, or seldom asked for. */
function wordReader(type: string): WordReader | null {
  if (type === 'address') {
    return (answer) => {
      if (!answer.startsWith(BEFORE_ADDRESS)) throw new RangeError(`${answer} is wider than an address`)
      return copyOf<Address>(`0x${answer.slice(BEFORE_ADDRESS.length)}`)
    }
  }
  if (type === 'bool') return (answer) => BigInt(answer) !== 0n
  const [, kind, bits] = /^(u?int)([0-9]+)$/.exec(type) ?? []
  if (kind === undefined) return null
  const cut = kind === 'int' ? BigInt.asIntN : BigInt.asUintN
  return (answer) => cut(Number(bits), BigInt(answer))
}

/** Values as ethers reads them, in our notation: without checksums. */
export function plainValues(values: readonly unknown[]): AbiValue[] {
  return values.map((value) => {
    if (typeof value === 'string') return value.toLowerCase() as Hex
    return Array.isArray(value) ? plainValues(value) : (value as bigint | boolean)
  })
}
