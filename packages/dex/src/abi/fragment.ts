import { id } from 'ethers'
import type { Hex } from '../chain/hex.ts'

/** Fragments of elementary types and tuples. Ethers takes a millisecond for each; a test compares the results. */
const FRAGMENT = /^(?:event|function) (\w+)\(((?:tuple\([^()]*\)|[^()])*)\)/
const TUPLE = /^tuple\(([^()]*)\)/

/** Returns the first topic of an event. */
export function topicOf(event: string): Hex {
  return id(signatureOf(event)) as Hex
}

/** Returns the first four bytes of a call's data. */
export function selectorOf(call: string): Hex {
  return topicOf(call).slice(0, 10) as Hex
}

/** Returns the topics and words of data in an event's logs; `pointers` are the words that point to a text or bytes. */
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

/** Returns the type of a parameter, or the types of its members. */
function typesOf(parameter: string): string[] {
  const members = TUPLE.exec(parameter)?.[1]?.split(', ') ?? [parameter]
  return members.map((member) => member.split(' ', 1)[0] ?? '')
}

function parse(fragment: string): { name: string; parameters: string[] } {
  const [, name, list] = FRAGMENT.exec(fragment) ?? []
  if (name === undefined || list === undefined) throw new Error(`${fragment} is not a fragment of elementary types`)
  return { name, parameters: list === '' ? [] : list.split(/, (?![^(]*\))/) }
}
