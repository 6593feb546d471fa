import { id } from 'ethers'
import type { Hex } from '../chain/hex.ts'

/** Of elementary types and tuples. Ethers takes a millisecond for each. */
const FRAGMENT = /^(?:event|function) (\w+)\(((?:tuple\([^()]*\)|[^()])*)\)/
const TUPLE = /^tuple\(([^()]*)\)(\[\])?/

/** Returns the first topic of an event. */
export function topicOf(event: string): Hex {
  return id(signatureOf(event)) as Hex
}

/** Returns the first four bytes of a call's data. */
export function selectorOf(call: string): Hex {
  return topicOf(call).slice(0, 10) as Hex
}

interface LogShape {
  topics: number
  /** Of data, before the tails. */
  words: number
  /** The words that point to a text or bytes, or to a list. No event here has both. */
  pointers: number[]
  lists: number[]
}

export function shapeOf(event: string): LogShape {
  const { parameters } = parse(event)
  const inTopics = (parameter: string) => parameter.includes(' indexed')
  const inData = parameters
    .filter((parameter) => !inTopics(parameter))
    .flatMap(typesOf)
    .flatMap(wordsOf)
  const topics = 1 + parameters.filter(inTopics).length
  const places = (isOne: (type: string) => boolean) => inData.flatMap((type, place) => (isOne(type) ? [place] : []))
  const pointers = places((type) => type === 'string' || type === 'bytes')
  return { topics, words: inData.length, pointers, lists: places((type) => type.endsWith('[]')) }
}

/** An array of a fixed length is as many words. */
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

/** Returns the type of a parameter, or those of its members. */
function typesOf(parameter: string): string[] {
  const members = TUPLE.exec(parameter)?.[1]?.split(', ') ?? [parameter]
  return members.map((member) => member.split(' ', 1)[0] ?? '')
}

function parse(fragment: string): { name: string; parameters: string[] } {
  const [, name, list] = FRAGMENT.exec(fragment) ?? []
  if (name === undefined || list === undefined) throw new Error(`${fragment} is not a fragment of elementary types`)
  return { name, parameters: list === '' ? [] : list.split(/, (?![^(]*\))/) }
}
