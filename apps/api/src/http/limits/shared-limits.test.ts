import { setImmediate as turn } from 'node:timers/promises'
import { closeAfter } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { type SharedLimit, shareLimits } from './shared-limits.ts'

/** A process that shares its limits, with what it has learnt and said. */
function shared(say: (text: string) => Promise<string[]>) {
  const learnt: Record<string, number>[] = []
  const told: string[] = []
  const rates: SharedLimit = {
    taken: () => ({ a: 5 }),
    takenElsewhere: (byClient) => void learnt.push(Object.fromEntries(byClient)),
  }
  const lists: SharedLimit = { taken: () => ({}), takenElsewhere: () => undefined }
  const log = { warn: (_: object, text: string) => void told.push(text), info: (text: string) => void told.push(text) }
  const exchange = { say: (_: string, text: string) => say(text), close: () => undefined }
  const sharing = shareLimits(exchange, { rates, lists }, log as never, 0)
  closeAfter(() => sharing.stop())
  return { learnt, told }
}

const until = async (condition: () => boolean) => {
  while (!condition()) await turn()
}

test('what all others say adds up, and what one says is heard', async () => {
  const said: string[] = []
  const { learnt, told } = shared(async (text) => {
    said.push(text)
    return ['{"rates":{"a":1,"b":2},"lists":{}}', '{"rates":{"a":10},"lists":{"a":1}}']
  })
  await until(() => learnt.length > 1)
  expect(learnt[0]).toEqual({ a: 11, b: 2 })
  expect(said[0]).toBe('{"rates":{"a":5},"lists":{}}')
  expect(told).toEqual([])
})

test.each([
  ['nothing can be said', () => Promise.reject(new Error('gone'))],
  ['what is said is no JSON', () => Promise.resolve(['{'])],
  ['what is said is something else', () => Promise.resolve(['{"rates":{"a":"1"},"lists":{}}'])],
])('where %s nothing is known of others, which is told once, and so is its end', async (_, failing) => {
  let isWell = false
  const { learnt, told } = shared(() => (isWell ? Promise.resolve(['{"rates":{"a":1},"lists":{}}']) : failing()))
  await until(() => learnt.length > 3)
  expect(learnt.slice(0, 3)).toEqual([{}, {}, {}])
  expect(told).toHaveLength(1)
  isWell = true
  await until(() => told.length > 1)
  expect(learnt.at(-1)).toEqual({ a: 1 })
  expect(told).toHaveLength(2)
})
