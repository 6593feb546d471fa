import { id } from 'ethers'
import type { Hex } from '../chain/hex.ts'

/**
 * Human-readable ABI fragments of elementary types and tuples of these, `event Sync(uint112 reserve0, uint112 reserve1)`.
 * They are taken apart by hand: ethers takes a millisecond for each while a process starts. A test compares all of them
 * with ethers.
 */
const FRAGMENT = /^(?:event|function) (\w+)\(((?:tuple\([^()]*\)|[^()])*)\)/
const TUPLE = /^tuple\(([^()]*)\)/

/** The first topic of an event. */
export function topicOf(event: string): Hex {
  return id(signatureOf(event)) as Hex
}

/** The four bytes that the data of a call begins with. */
export function selectorOf(call: string): Hex {
  return topicOf(call).slice(0, 10) as Hex
}

/**
 * How many topics and words of data the logs of an event have whose arguments are a word each, or tuples of such. A text
 * or byte string counts as the word that says where it lies; `pointers` are the positions of these.
 */
export function shapeOf(event: string): { topics: number; words: number; pointers: number[] } {
  const { parameters } = parse(event)
  const inTopics = (parameter: string) => parameter.includes(' indexed')
  const inData = parameters.filter((parameter) => !inTopics(parameter)).flatMap(typesOf)
  const topics = 1 + parameters.filter(inTopics).length
  const pointers = inData.flatMap((type, position) => (type === 'string' || type === 'bytes' ? [position] : []))
  return { topics, words: inData.length, pointers }
}

function signatureOf(fragment: string): string {
  const { name, parameters } = parse(fragment)
  const types = parameters.map((parameter) => {
    const list = typesOf(parameter).join(',')
    return TUPLE.test(parameter) ? `(${list})` : list
  })
  return `${name}(${types.join(',')})`
}

/** The type of a parameter, or those of its members. */
function typesOf(parameter: string): string[] {
  const members = TUPLE.exec(parameter)?.[1]?.split(', ') ?? [parameter]
  return members.map((member) => member.split(' ', 1)[0] ?? '')
}

function parse(fragment: string): { name: string; parameters: string[] } {
  const [, name, list] = FRAGMENT.exec(fragment) ?? []
  if (name === undefined || list === undefined) throw new Error(`${fragment} is no fragment of elementary types`)
  return { name, parameters: list === '' ? [] : list.split(/, (?![^(]*\))/) }
}
