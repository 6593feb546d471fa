import { FunctionFragment, Interface, id } from 'ethers'
import { type Address, copyOf, type Hex, type Log } from '../chain.ts'
import { callData, hasWords } from './words.ts'

/** Matches fragments of elementary types and tuples. Ethers takes a millisecond to parse one. */
const FRAGMENT = /^(?:event|function) (\w+)\(((?:tuple\([^()]*\)|[^()])*)\)/
const TUPLE = /^tuple\(([^()]*)\)(\[\])?/

export function topicOf(event: string): Hex {
  return id(signatureOf(event)) as Hex
}

export function selectorOf(call: string): Hex {
  return topicOf(call).slice(0, 10) as Hex
}

interface LogShape {
  topics: number
  words: number
  /** Indexes of the words that point to a text or bytes, or to a list. No event here has both. */
  pointers: number[]
  lists: number[]
}

export function shapeOf(event: string): LogShape {
  const { parameters } = parse(event)
  const inTopics = (parameter: string) => parameter.includes(' indexed')
  const inData = parameters
    .filter((parameter) => !inTopics(parameter))
    .flatMap((parameter) => (TUPLE.exec(parameter)?.[2] === undefined ? typesOf(parameter) : ['tuple[]']))
    .flatMap(wordsOf)
  const topics = 1 + parameters.filter(inTopics).length
  const places = (isOne: (type: string) => boolean) => inData.flatMap((type, place) => (isOne(type) ? [place] : []))
  const pointers = places((type) => type === 'string' || type === 'bytes')
  return { topics, words: inData.length, pointers, lists: places((type) => type.endsWith('[]')) }
}

function wordsOf(type: string): string[] {
  const [, element, length] = /^(\w+)\[(\d+)\]$/.exec(type) ?? []
  return element === undefined ? [type] : Array<string>(Number(length)).fill(element)
}

function signatureOf(fragment: string): string {
  const { name, parameters } = parse(fragment)
  const types = parameters.map((parameter) => {
    const list = typesOf(parameter).join(',')
    const [tuple, , brackets = ''] = TUPLE.exec(parameter) ?? []
    return tuple === undefined ? list : `(${list})${brackets}`
  })
  return `${name}(${types.join(',')})`
}

function typesOf(parameter: string): string[] {
  const members = TUPLE.exec(parameter)?.[1]?.split(', ') ?? [parameter]
  return members.map((member) => member.split(' ', 1)[0] ?? '')
}

function parse(fragment: string): { name: string; parameters: string[] } {
  const [, name, list] = FRAGMENT.exec(fragment) ?? []
  if (name === undefined || list === undefined) throw new Error(`${fragment} is not a fragment of elementary types`)
  return { name, parameters: list === '' ? [] : list.split(/, (?![^(]*\))/) }
}

/** Integers as bigint, addresses and bytes as lower-case hex, or lists of these. */
type AbiValue = bigint | boolean | Hex | readonly AbiValue[]

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

function plainValues(values: readonly unknown[]): AbiValue[] {
  return values.map((value) => {
    if (typeof value === 'string') return value.toLowerCase() as Hex
    return Array.isArray(value) ? plainValues(value) : (value as bigint | boolean)
  })
}

/** An event that is read rarely, through ethers. Pool events are decoded by slicing instead. */
export interface ContractEvent<T> {
  topic: Hex
  read(log: Log): T | null
}

/** Returns a reader from a human-readable ABI. `make` receives the arguments in order, and the emitter. */
export function contractEvent<Values extends readonly AbiValue[], T>(
  fragment: string,
  make: (values: Values, emitter: Address) => T,
): ContractEvent<T> {
  const topic = topicOf(fragment)
  const { topics, words } = shapeOf(fragment)
  let abi: Interface | undefined
  return {
    topic,
    read(log) {
      if (log.topics[0] !== topic || log.topics.length !== topics || !hasWords(log.data, words)) return null
      try {
        abi ??= new Interface([fragment])
        return make(plainValues(abi.parseLog(log)?.args.toArray() ?? []) as unknown as Values, log.address)
      } catch {
        return null
      }
    },
  }
}
