import { type Block, type BlockHeader, builtInDeployments, type PoolAddress } from '@dexfeed/dex'
import { BlockNotStored, LeaseLost, RangeAlreadyCovered, type SkippedCommit } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { emptyBook, quiet } from '../../test/scene/made-values.ts'
import type { Processed } from '../blocks/process-blocks.ts'
import { PoolCache } from '../pools/pool-cache.ts'
import { SkippedBlocks } from './skipped-blocks.ts'

const [ONE, TWO]: PoolAddress[] = ['0x01', '0x02']
const header = (number: number, branch = 'a'): BlockHeader => {
  return { number, hash: `0x${branch}${number}`, parentHash: `0x${branch}${number - 1}`, timestamp: 1_000 + number }
}
const blockOf = (number: number, branch?: string): Block => {
  return { ...header(number, branch), logs: [], transactions: new Map(), isProven: true }
}
const bookBefore = async () => emptyBook()

/** Block 9 waits for one pool, block 10 for both. */
function scene() {
  const world = {
    proven: new Set<PoolAddress>(),
    branch: 'a',
    failure: null as Error | null,
    stillSkipped: [] as Processed['skipped'],
  }
  const commits: SkippedCommit[] = []
  const blocks = new SkippedBlocks({
    chain: { readBlocks: async (number) => [blockOf(number, world.branch)] },
    store: {
      async commitSkipped(commit) {
        if (world.failure !== null) throw world.failure
        commits.push(commit)
      },
    },
    known: new PoolCache(builtInDeployments.eth, { pools: [], tokens: [] }),
    processor: {
      process: async () => ({
        trades: [],
        moves: [],
        hops: [],
        events: [],
        creations: [],
        denied: [],
        skipped: world.stillSkipped,
      }),
    },
    registry: { canProve: (pool) => world.proven.has(pool) },
    epoch: 3,
    log: quiet,
    onCommit: () => undefined,
  })
  const skipped = [
    { number: 9, pools: [ONE ?? '0x'] },
    { number: 10, pools: [ONE ?? '0x', TWO ?? '0x'] },
  ]
  blocks.note(
    [8, 9, 10].map((number) => header(number)),
    skipped,
    8,
  )
  return { world, blocks, commits, covered: () => commits.map(({ from, to }) => [from, to]) }
}

test('each block is covered once, as soon as all of its keys are known', async () => {
  const { world, blocks, commits, covered } = scene()
  expect(blocks.isDue()).toBe(false)
  await blocks.cover(bookBefore)
  world.proven.add('0x01')
  expect(blocks.isDue()).toBe(true)
  await blocks.cover(bookBefore)
  await blocks.cover(bookBefore)
  expect(covered()).toEqual([[9, 9]])
  expect(commits[0]).toMatchObject({ skipped: { epoch: 3, hash: '0xa9', isProven: true }, fromTime: 1_009 })
  world.proven.add('0x02')
  await blocks.cover(bookBefore)
  expect(covered()).toEqual([
    [9, 9],
    [10, 10],
  ])
  expect(blocks.isDue()).toBe(false)
})

test('a block that needs another key keeps waiting', async () => {
  const { world, blocks, covered } = scene()
  world.proven.add('0x01')
  world.stillSkipped = [{ number: 9, pools: ['0x03'] }]
  await blocks.cover(bookBefore)
  expect(covered()).toEqual([])
  world.stillSkipped = []
  expect(blocks.isDue()).toBe(false)
  world.proven.add('0x03')
  await blocks.cover(bookBefore)
  expect(covered()).toEqual([[9, 9]])
})

test.each([
  ['orphaned', 'b', bookBefore],
  ['final', 'a', async () => null],
])('nothing is committed of a block that is %s by now', async (_, branch, before) => {
  const { world, blocks, covered } = scene()
  Object.assign(world, { branch, proven: new Set(['0x01', '0x02']) })
  await blocks.cover(before)
  expect(covered()).toEqual([])
  expect(blocks.isDue()).toBe(false)
})

test.each([new RangeAlreadyCovered('eth', 9, 9), new BlockNotStored('eth', 9, '0xa9')])(
  '%s: the block is done',
  async (failure) => {
    const { world, blocks } = scene()
    Object.assign(world, { failure, proven: new Set(['0x01']) })
    await blocks.cover(bookBefore)
    expect(blocks.isDue()).toBe(false)
  },
)

test('a failure does not hold up the head; a lost lease ends it', async () => {
  const { world, blocks } = scene()
  Object.assign(world, { failure: new Error('the database is away'), proven: new Set(['0x01']) })
  await blocks.cover(bookBefore)
  // The blocks pause after a failure.
  expect(blocks.isDue()).toBe(false)
  const other = scene()
  Object.assign(other.world, { failure: new LeaseLost('eth', 3), proven: new Set(['0x01']) })
  await expect(other.blocks.cover(bookBefore)).rejects.toBeInstanceOf(LeaseLost)
})

test('after a restart, stored blocks wait that are not covered, not final, and after the start', async () => {
  const { blocks, covered } = scene()
  const span = (from: number, to: number) => ({ from, to, fromTime: 0, toTime: 0 })
  const stored = [5, 6, 7, 8, 9].map((number) => header(number))
  const start = { number: 7, timestamp: 0 }
  blocks.restart(stored, [span(8, 8)], { finalNumber: 5, start })
  await blocks.cover(bookBefore)
  expect(covered()).toEqual([
    [7, 7],
    [9, 9],
  ])
  blocks.restart(stored, [span(8, 8)], { finalNumber: 7, start })
  await blocks.cover(bookBefore)
  expect(covered().slice(2)).toEqual([[9, 9]])
})
