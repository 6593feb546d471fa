import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Block, BlockRange } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { type RangePart, readAhead, SliceSize } from './read-ahead.ts'

/** Returns a chain that sends at most `most` blocks per response, and the requests that it received. */
function chainOf(most: (from: number) => number) {
  const asked: BlockRange[] = []
  const readRange = async (from: number, to: number) => {
    asked.push({ from, to })
    return { from, to: Math.min(to, from + most(from) - 1), blocks: [] as Block[] }
  }
  return { asked, chain: { readRange } }
}

test('parts come complete and in order, whatever the node returns at a time', async () => {
  const { chain } = chainOf((from) => (from % 7) + 1)
  const parts: RangePart[] = []
  for await (const part of readAhead(chain, { from: 10, to: 500 }, async (read) => read)) parts.push(part)
  expect(parts[0]?.from).toBe(10)
  expect(parts.at(-1)?.to).toBe(500)
  for (const [i, part] of parts.slice(1).entries()) expect(part.from).toBe((parts[i]?.to ?? 0) + 1)
})

test('the next parts are prepared while one waits for a response, and come after it', async () => {
  const { chain } = chainOf(() => 10)
  const letGo: (() => void)[] = []
  const prepare = async ({ from }: RangePart) => {
    if (from > 1) await new Promise<void>((resolve) => letGo.push(resolve))
    return from
  }
  const parts = readAhead(chain, { from: 1, to: 100 }, prepare)
  expect((await parts.next()).value).toBe(1)
  const second = parts.next()
  while (letGo.length < 3) await new Promise(setImmediate)
  // The last slice gets its responses first.
  for (const go of letGo.toReversed()) go()
  expect((await second).value).toBe(11)
  expect((await parts.next()).value).toBe(21)
  await parts.return()
})

test('parts that wait for their turn do not hold their blocks', async () => {
  const { chain } = chainOf(() => 10)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const read: WeakRef<RangePart>[] = []
  const prepare = async (part: RangePart) => {
    read.push(new WeakRef(part))
    return part.from
  }
  const parts = readAhead(chain, { from: 1, to: 100 }, prepare)
  expect((await parts.next()).value).toBe(1)
  expect((await parts.next()).value).toBe(11)
  await new Promise(setImmediate)
  collect()
  expect(read.length).toBeGreaterThan(2)
  expect(read.filter((part) => part.deref() !== undefined)).toEqual([])
  await parts.return()
})

test('a failure to prepare a part is thrown when its turn comes', async () => {
  const { chain } = chainOf(() => 10)
  const prepare = async ({ from }: RangePart) => {
    if (from > 20) throw new Error(`no response for ${from}`)
    return from
  }
  const taken: number[] = []
  const all = async () => {
    for await (const from of readAhead(chain, { from: 1, to: 100 }, prepare)) taken.push(from)
  }
  await expect(all()).rejects.toThrow('no response for')
  expect(taken[0]).toBe(1)
})

/** Returns the sizes of successive slices if one response holds at most `most` blocks. */
function slices(sizes: SliceSize, count: number, most: number): number[] {
  return Array.from({ length: count }, () => {
    const slice = sizes.next(1_000_000)
    const answers: number[] = []
    for (let left = slice.blocks; left > 0; left -= most) answers.push(Math.min(left, most))
    sizes.arrived(slice, answers)
    return slice.blocks
  })
}

test('slices double until one is cut; later, slightly larger ones are tried', () => {
  const sizes = new SliceSize(5)
  expect(slices(sizes, 4, 50)).toEqual([10, 20, 40, 80])
  expect(slices(sizes, 18, 50)).toEqual([...Array(16).fill(40), 50, 63])
  expect(slices(sizes, 17, 50)).toEqual([...Array(16).fill(50), 63])
})

test('a slice of the usual size that is cut shows what fits into one response', () => {
  const sizes = new SliceSize(40)
  slices(sizes, 1, 40)
  expect(slices(sizes, 3, 12)).toEqual([40, 12, 12])
})

test('so does an attempt that returns less than usual slices', () => {
  const sizes = new SliceSize(40)
  const attempt = sizes.next(1_000)
  sizes.arrived(attempt, [30, 30, 20])
  expect(sizes.next(1_000).blocks).toBe(30)
})

test('one larger slice is tried at a time, and the last blocks are not an attempt', () => {
  const sizes = new SliceSize(10)
  const [first, second, third] = [sizes.next(1_000), sizes.next(1_000), sizes.next(7)]
  expect([first, second, third].map(({ blocks, isAttempt }) => [blocks, isAttempt])).toEqual([
    [20, true],
    [10, false],
    [7, false],
  ])
  sizes.arrived(first, [20])
  sizes.arrived(third, [7])
  expect(sizes.next(1_000)).toEqual({ blocks: 40, isAttempt: true })
})
