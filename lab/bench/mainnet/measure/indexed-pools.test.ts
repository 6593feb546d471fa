import { type Address, SECOND } from '@dexfeed/dex'
import type { Client } from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { IndexedPools } from './indexed-pools.ts'

const POOL: Address = '0x00000000000000000000000000000000000000aa'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Looks every second at a database with this head each time, in which the pool is from the third look on. */
async function watched(heads: readonly number[]): Promise<IndexedPools> {
  let look = 0
  const query = async (text: string) => {
    if (text.includes('head_number')) return { rows: [{ head: String(heads[look]) }] }
    return { rows: look >= 2 ? [{ address: POOL.slice(2) }] : [] }
  }
  const indexed = new IndexedPools({ query } as unknown as Client, 56)
  for (; look < heads.length; look++) {
    await indexed.look()
    vi.advanceTimersByTime(SECOND)
  }
  return indexed
}

it('a pool is known two seconds after it was seen, by a block before that of the response', async () => {
  const indexed = await watched([10, 11, 12, 13, 14, 15, 16, 17])
  // The pool was seen with block 12. Block 16 was stored three seconds later, block 15 may have been after two.
  for (const block of [9, 12, 14, 15, 16]) {
    indexed.note(block)
    expect(indexed.isKnown(POOL), `after block ${block}`).toBe(false)
  }
  indexed.note(17)
  expect(indexed.isKnown(POOL)).toBe(true)
  expect(indexed.isKnown('0x00000000000000000000000000000000000000bb')).toBe(false)
})

it('a pool is not known while heads stay, nor before there is a response', async () => {
  const still = await watched([10, 11, 12, 12, 12, 12, 12, 13])
  expect(still.isKnown(POOL)).toBe(false)
  for (const block of [12, 13]) still.note(block)
  expect(still.isKnown(POOL)).toBe(false)
})

it('blocks that no look saw count as stored after the look before', async () => {
  const indexed = await watched([10, 11, 12, 13, 14, 15, 30])
  for (const block of [20, 29]) indexed.note(block)
  expect(indexed.isKnown(POOL)).toBe(true)
})
