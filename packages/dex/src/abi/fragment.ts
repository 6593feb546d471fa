import { id } from 'ethers'
import type { Hex } from '../chain/hex.ts'

/**
 * Human-readable ABI fragments of elementary types, `event Sync(uint112 reserve0, uint112 reserve1)`. They are taken
 * apart by hand: ethers takes a millisecond for each while a process starts. A test compares all of them with ethers.
 */
const FRAGMENT = /^(?:event|function) (\w+)\(([^()]*)\)/

/** The first topic of an event. */
export function topicOf(event: string): Hex {
  return id(signatureOf(event)) as Hex
}

/** The four bytes that the data of a call begins with. */
export function selectorOf(call: string): Hex {
  return topicOf(call).slice(0, 10) as Hex
}

/** How many topics and words of data the logs of an event have whose arguments are a word each. */
export function shapeOf(event: string): { topics: number; words: number } {
  const { parameters } = parse(event)
  const indexed = parameters.filter((parameter) => parameter.includes(' indexed')).length
  return { topics: 1 + indexed, words: parameters.length - indexed }
}

function signatureOf(fragment: string): string {
  const { name, parameters } = parse(fragment)
  return `${name}(${parameters.map((parameter) => parameter.split(' ', 1)[0]).join(',')})`
}

function parse(fragment: string): { name: string; parameters: string[] } {
  const [, name, list] = FRAGMENT.exec(fragment) ?? []
  if (name === undefined || list === undefined) throw new Error(`${fragment} is no fragment of elementary types`)
  return { name, parameters: list === '' ? [] : list.split(', ') }
}
