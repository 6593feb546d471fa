import { id } from 'ethers'
import type { Hex } from '../chain/hex.ts'

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
    .flatMap(typesOf)
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
