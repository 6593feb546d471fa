import { DAY_S } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { findFirstKept, findStartBlock } from './start-block.ts'

const HEAD = 10_000
const BLOCK_S = 60
const headerOf = (number: number) => ({
  ...({ number, hash: `0x${number}`, parentHash: `0x${number - 1}` } as const),
  timestamp: 1_700_000_000 + number * BLOCK_S,
})

/** Returns a chain whose nodes keep the blocks from `first` on. */
const chain = (first: number) => ({
  head: async () => headerOf(HEAD),
  header: async (number: number) => (number < first || number > HEAD ? null : headerOf(number)),
})

describe('days back from the head', () => {
  it('begin with the block before the first one that is not older', async () => {
    const start = await findStartBlock(chain(0), { startBlock: null, backfillDays: 2 })
    expect(start.number).toBe(HEAD - (2 * DAY_S) / BLOCK_S - 1)
  })

  it('begin with the first block that the nodes keep if they keep fewer days', async () => {
    for (const first of [1, 5_000, 9_999, HEAD]) {
      const start = await findStartBlock(chain(first), { startBlock: null, backfillDays: 30 })
      expect(start).toEqual(headerOf(first))
    }
  })
})

describe('a block that the nodes do not return', () => {
  const seen = new Set<number>()
  /** Returns a chain whose nodes deny the first block that is read, then others, `times` in total. */
  const forgetful = (times: number) => {
    let left = times
    seen.clear()
    return {
      head: async () => headerOf(HEAD),
      header: async (number: number) => {
        if (left === 0 || seen.has(number)) return headerOf(number)
        seen.add(number)
        left--
        return null
      },
    }
  }

  it('once, moves nothing', async () => {
    const start = await findStartBlock(forgetful(1), { startBlock: null, backfillDays: 5 })
    expect(start.number).toBe(HEAD - (5 * DAY_S) / BLOCK_S - 1)
    const head = headerOf(HEAD)
    const right = await findFirstKept(chain(0), head, 2)
    expect(right.isSure).toBe(true)
    expect(await findFirstKept(forgetful(1), head, 2)).toEqual(right)
  })

  it('at all, leaves the first kept block in doubt', async () => {
    const { block, isSure } = await findFirstKept(chain(9_900), headerOf(HEAD), 2)
    expect(block.number).toBe(9_900)
    expect(isSure).toBe(false)
  })
})

describe('a configured block', () => {
  it('is where it starts', async () => {
    expect(await findStartBlock(chain(10), { startBlock: 10, backfillDays: 7 })).toEqual(headerOf(10))
  })

  it('that the nodes do not keep is refused; the error names the first one that they keep', async () => {
    const start = findStartBlock(chain(4_321), { startBlock: 10, backfillDays: 7 })
    await expect(start).rejects.toThrow('START_BLOCK 10 is not kept by the nodes: they begin with block 4321')
  })

  it('above the head is refused', async () => {
    const start = findStartBlock(chain(0), { startBlock: HEAD + 1, backfillDays: 7 })
    await expect(start).rejects.toThrow('is above the head')
  })
})
