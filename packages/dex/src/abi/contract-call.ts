import { FunctionFragment, Interface } from 'ethers'
import { type Address, copyOf, type Hex } from '../chain/hex.ts'
import { selectorOf } from './fragment.ts'
import { callData, hasWords } from './words.ts'

/** Integers as bigint, addresses and bytes as lower-case hex, or lists of these. */
export type AbiValue = bigint | boolean | Hex | readonly AbiValue[]

export interface ContractCall<Values extends readonly AbiValue[]> {
  data(...args: readonly (Address | bigint | number)[]): Hex
  /** Returns null if the result is missing or has another shape, since a contract may return anything. */
  read(answer: Hex | null | undefined): Values | null
}

/**
 * Returns a function of a contract from its human-readable ABI, which ethers parses at the first use. Integers are cut
 * to their types: declare one as uint256 if a contract may return one that is too large.
 */
export function contractCall<Values extends readonly AbiValue[]>(fragment: string): ContractCall<Values> {
  const selector = selectorOf(fragment)
  // Matches a type, not a name that ends in `bytes`.
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
      // Ethers takes a third of a millisecond per call, and a pool has thousands of ticks to read.
      if (!takesBytes) return callData(selector, ...args)
      const { abi, call } = open()
      return abi.encodeFunctionData(call, args) as Hex
    },
    read(answer) {
      if (!answer) return null
      const { abi, call, words, word } = open()
      if (words !== null && !hasWords(answer, words)) return null
      try {
        // A hundred times faster than ethers; each new pool is read with five calls that return one word.
        if (word !== null) return [word(answer)] as unknown as Values
        return plainValues(abi.decodeFunctionResult(call, answer).toArray(true)) as unknown as Values
      } catch {
        return null
      }
    },
  }
}

/** Reads one word. @throws if it is not a value of the type */
type WordReader = (answer: Hex) => AbiValue

const BEFORE_ADDRESS = `0x${'0'.repeat(24)}`

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

export function plainValues(values: readonly unknown[]): AbiValue[] {
  return values.map((value) => {
    if (typeof value === 'string') return value.toLowerCase() as Hex
    return Array.isArray(value) ? plainValues(value) : (value as bigint | boolean)
  })
}
