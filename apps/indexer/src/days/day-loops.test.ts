import { expect, it } from 'vitest'
import { fillOrderFlow } from './day-loops.ts'

it('counts old buys step by step until none are left, resting in between', async () => {
  const left = [true, new Error('the database is away'), true, false]
  const failures: string[] = []
  let rests = 0
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, message: string) => void failures.push(message) }
  const clock = { sleep: async () => void rests++ }
  const store = {
    async fillOrderFlow() {
      const step = left.shift() ?? false
      if (step instanceof Error) throw step
      return step
    },
  }
  await fillOrderFlow({ store, log, clock }, new AbortController().signal)
  expect(left).toEqual([])
  expect([rests, failures]).toEqual([3, ['the buys of old candles could not be counted, trying again']])
})
