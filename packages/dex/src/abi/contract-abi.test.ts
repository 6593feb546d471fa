import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EventFragment, FunctionFragment } from 'ethers'
import { expect, test } from 'vitest'
import deployed from '../../test/fixtures/signature-hashes.json' with { type: 'json' }
import { selectorOf, shapeOf, topicOf } from './contract-abi.ts'

const sources = fileURLToPath(new URL('..', import.meta.url))
const fragments = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap((file) => readFileSync(`${sources}/${file}`, 'utf8').match(/'(?:event|function) [^'$]+'/g) ?? [])
  .map((literal) => literal.slice(1, -1))
const events = fragments.filter((fragment) => fragment.startsWith('event '))
const calls = fragments.filter((fragment) => fragment.startsWith('function '))

test('topics and selectors of all fragments are those that ethers reads', () => {
  expect(events.length).toBeGreaterThan(30)
  expect(events.map(topicOf)).toEqual(events.map((event) => EventFragment.from(event).topicHash))
  expect(calls.length).toBeGreaterThan(30)
  expect(calls.map(selectorOf)).toEqual(calls.map((call) => FunctionFragment.from(call).selector))
})

test('they are those of the deployed contracts, as recorded logs and calls hold them', () => {
  expect(deployed.topics.filter((topic) => !events.some((event) => topicOf(event) === topic))).toEqual([])
  expect(deployed.selectors.filter((selector) => !calls.some((call) => selectorOf(call) === selector))).toEqual([])
})

test('the shape of logs is what ethers says of the event', () => {
  const shapes = events.map((event) => {
    const { inputs } = EventFragment.from(event)
    const topics = 1 + inputs.filter(({ indexed }) => indexed).length
    const inData = inputs.filter(({ indexed }) => !indexed).flatMap((input) => input.components ?? [input])
    const inWords = inData.flatMap((input) =>
      input.isArray() && input.arrayLength > 0 ? Array(input.arrayLength).fill(input.arrayChildren) : [input],
    )
    const pointers = inWords.flatMap(({ type }, at) => (['string', 'bytes'].includes(type) ? [at] : []))
    const lists = inWords.flatMap(({ arrayLength }, at) => (arrayLength === -1 ? [at] : []))
    return { topics, words: inWords.length, pointers, lists }
  })
  expect(events.map(shapeOf)).toEqual(shapes)
})

test('no event has both lists and texts, whose tails are measured in other units', () => {
  expect(events.filter((event) => shapeOf(event).lists.length > 0 && shapeOf(event).pointers.length > 0)).toEqual([])
})

test('an unsupported or invalid fragment is an error', () => {
  expect(() => topicOf('Sync(uint112,uint112)')).toThrow('not a fragment')
  expect(() => topicOf('event Swap((address token, uint256 amount) leg)')).toThrow('not a fragment')
})
