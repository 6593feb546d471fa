import { listen } from '@dexfeed/test-setup/listen'
import express from 'express'
import { expect, test, vi } from 'vitest'
import { Turns } from '../http/limits/turns.ts'
import { type PageRouteOptions, pageRoute } from './page-route.ts'

test('the same page is put together again for another state, and each second', async () => {
  let reads = 0
  const newState = () => ({
    networks: [],
    get cells() {
      reads++
      return new Map()
    },
  })
  let [state, now] = [newState(), 1_800_000_000]
  let gate: Promise<unknown> = Promise.resolve()
  let asked = 0
  const current = async () => {
    asked++
    await gate
    return state
  }
  const day = { current, store: {} } as unknown as PageRouteOptions['day']
  const app = express().get(
    '/page',
    pageRoute({ day, hold: () => {}, turns: new Turns(), maxAgeS: 60, expected: [], now: () => now }),
  )
  const url = `http://127.0.0.1:${await listen(app)}`
  const get = async (path: string) => {
    const response = await fetch(url + path)
    expect([response.status, await response.text()]).toEqual([200, '[]'])
  }
  const read = async (path: string) => {
    const before = reads
    await get(path)
    return reads > before
  }
  expect(await read('/page?limit=1')).toBe(true)
  expect(await read('/page?limit=1')).toBe(false)
  // Other parameters are ignored.
  expect(await read('/page?limit=1&x=1')).toBe(false)
  expect(await read('/page?limit=2')).toBe(true)
  state = newState()
  expect(await read('/page?limit=1')).toBe(true)
  expect(await read('/page?limit=1')).toBe(false)
  now++
  expect(await read('/page?limit=1')).toBe(true)
  now++
  ;[reads, asked] = [0, 0]
  let open = () => {}
  gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const pages = Array.from({ length: 5 }, () => get('/page?limit=1'))
  await vi.waitFor(() => expect(asked).toBe(5))
  open()
  await Promise.all(pages)
  expect(reads).toBe(1)
})
