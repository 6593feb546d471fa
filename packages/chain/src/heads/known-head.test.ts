import type { BlockHeader } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import { KnownHead } from './read-head.ts'

function header(number: number, branch = 'a'): BlockHeader {
  const hash = `0x${branch.repeat(64)}` as const
  return { number, hash, parentHash: hash, timestamp: number }
}

/** A head reported at time 0 that stays fresh until 10. */
function known(number: number): KnownHead {
  const head = new KnownHead(10)
  head.shown(header(number), 0)
  return head
}

it('counts what was announced, up to 64 blocks above the last one', () => {
  const head = known(100)
  head.announced(header(101), 1)
  expect(head.at(1)).toEqual(header(101))
  head.announced(header(165), 1)
  expect(head.at(1)).toEqual(header(165))
  head.announced(header(230), 1)
  expect(head.at(1)).toBeNull()
  // No endpoint has shown that head yet.
  head.announced(header(231), 1)
  expect(head.at(1)).toBeNull()
})

it('requires a request after an announcement without a header', () => {
  const head = known(100)
  head.announced(null, 1)
  expect(head.at(1)).toBeNull()
})

it('takes over a reorganisation that is announced, and one that an endpoint shows', () => {
  const head = known(100)
  head.announced(header(99, 'b'), 1)
  expect(head.at(1)).toEqual(header(99, 'b'))
  head.shown(header(99, 'c'), 1)
  expect(head.at(1)).toEqual(header(99, 'c'))
  head.shown(header(98), 1)
  expect(head.at(1)).toEqual(header(98))
})

it('does not go back to an endpoint that lags the announced head', () => {
  const head = known(100)
  head.announced(header(101), 1)
  head.shown(header(100), 2)
  head.counted(100, 2)
  expect(head.at(2)).toEqual(header(101))
})

it('requires a request when an endpoint has another number than polled, or a higher one than announced', () => {
  for (const other of [99, 101]) {
    const head = known(100)
    head.counted(other, 1)
    expect(head.at(1)).toBeNull()
  }
  const head = known(100)
  head.announced(header(101), 1)
  head.counted(102, 1)
  expect(head.at(1)).toBeNull()
})

it('does not count for long without a sign that it holds', () => {
  const head = known(100)
  head.counted(100, 8)
  expect(head.at(18)).toEqual(header(100))
  expect(head.at(19)).toBeNull()
})
