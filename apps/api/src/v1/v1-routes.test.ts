import type { V1Handlers } from '@dexfeed/contract'
import { listen } from '@dexfeed/test-setup/listen'
import express from 'express'
import { expect, test } from 'vitest'
import { heldBodies } from '../http/limits/held-bodies.ts'
import { RateLimit } from '../http/limits/rate-limit.ts'
import { Turns } from '../http/limits/turns.ts'
import { answering, type ReadingOptions } from './answer.ts'
import { Dispatcher } from './dispatcher.ts'
import { v1Routes } from './v1-routes.ts'

test('a response of more than two megabytes is not kept, because it would take the place of many', async () => {
  let reads = 0
  let bytes = 0
  const searchSwaps = async () => {
    reads++
    return { rows: [{ text: 'x'.repeat(bytes) }], reached: null, headers: {} }
  }
  const limits = { rates: new RateLimit(0), hold: heldBodies(), turns: new Turns() }
  const changes = { subscribe: () => () => {} }
  const handlers = { searchSwaps } as unknown as V1Handlers
  const reading = { figures: { soon: async () => {} } } as unknown as ReadingOptions
  const dispatcher = new Dispatcher({ changes, mark: () => () => true, ...limits })
  const routes = v1Routes(answering(handlers, reading), dispatcher)
  const url = `http://127.0.0.1:${await listen(express().use(routes))}/v1/swaps`
  const readsOf = async (path: string, length: number) => {
    reads = 0
    bytes = length
    for (let request = 0; request < 2; request++) expect((await fetch(url + path)).status).toBe(200)
    return reads
  }
  expect(await readsOf('?limit=1', 2_000_000)).toBe(1)
  expect(await readsOf('?limit=2', 2_100_000)).toBe(2)
})
